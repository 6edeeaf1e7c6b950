// scale-fold, scale-sink and split-projection: the rewrites, equal results, and the cases they must
// not change.
#include "PassTesting.h"

#include <doctest/doctest.h>

using namespace tigris;

TEST_CASE("scale-fold: factors and summands join the convolution") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 3, 3]}
  - {name: w, type: float32, shape: [2, 2, 1, 1], const: true}
  - {name: s, type: float32, shape: [2, 1, 1], const: true}
  - {name: o, type: float32, shape: [1], const: true}
  - {name: d, type: float32, shape: [], const: true}
  - {name: c, type: float32, shape: [1, 2, 3, 3]}
  - {name: t, type: float32, shape: [1, 2, 3, 3]}
  - {name: u, type: float32, shape: [1, 2, 3, 3]}
  - {name: y, type: float32, shape: [1, 2, 3, 3]}
ops:
  - {op: Conv, name: conv, in: [x, w], out: [c], attrs: {kernel_shape: [1, 1]}}
  - {op: Mul, name: mul, in: [s, c], out: [t]}
  - {op: Sub, name: sub, in: [o, t], out: [u]}
  - {op: Div, name: div, in: [u, d], out: [y]}
blobs:
  - {name: w, values: [1, 2, 3, 4]}
  - {name: s, values: [2, 3]}
  - {name: o, values: [1]}
  - {name: d, values: [2]}
# CHECK: ops:
# CHECK-NEXT: {op: Conv, name: conv, in: [x, {{.*}}, {{.*}}], out: ["y"]
# CHECK-NOT: op:
# CHECK: values: [-1.0, -2.0, -4.5, -6.0]
# CHECK: values: [0.5, 0.5]
)";
  checkSameValues(parseGraph(yaml), checkPass("scale-fold", yaml));
}

TEST_CASE("scale-fold: a Gemm, and a BatchNorm behind something else") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [3, 2]}
  - {name: w, type: float32, shape: [2, 2], const: true}
  - {name: b, type: float32, shape: [2], const: true}
  - {name: s, type: float32, shape: [2], const: true}
  - {name: g, type: float32, shape: [3, 2]}
  - {name: t, type: float32, shape: [3, 2]}
  - {name: y, type: float32, shape: [3, 2]}
ops:
  - {op: Gemm, name: gemm, in: [x, w, b], out: [g], attrs: {transB: 1}}
  - {op: Add, name: add, in: [g, s], out: [t]}
  - {op: BatchNorm, name: norm, in: [t, s, b], out: [y]}
blobs:
  - {name: w, values: [1, 2, 3, 4]}
  - {name: b, values: [1, -1]}
  - {name: s, values: [2, 3]}
# CHECK: ops:
# CHECK-NEXT: {op: Gemm, name: gemm
# CHECK-NOT: op:
)";
  checkSameValues(parseGraph(yaml), checkPass("scale-fold", yaml));
}

TEST_CASE("scale-sink: the normalization of an image joins the convolution, also of groups") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 4, 3, 3]}
  - {name: m, type: float32, shape: [4, 1, 1], const: true}
  - {name: d, type: float32, shape: [1, 4, 1, 1], const: true}
  - {name: w, type: float32, shape: [2, 2, 2, 1], const: true}
  - {name: b, type: float32, shape: [2], const: true}
  - {name: t, type: float32, shape: [1, 4, 3, 3]}
  - {name: u, type: float32, shape: [1, 4, 3, 3]}
  - {name: y, type: float32, shape: [1, 2, 2, 3]}
ops:
  - {op: Sub, name: sub, in: [x, m], out: [t]}
  - {op: Div, name: div, in: [t, d], out: [u]}
  - {op: Conv, name: conv, in: [u, w, b], out: [y], attrs: {group: 2, kernel_shape: [2, 1]}}
blobs:
  - {name: m, values: [1, 2, 3, 4]}
  - {name: d, values: [2, 4, 0.5, 1]}
  - {name: w, values: [1, 2, 3, 4, 5, 6, 7, 8]}
  - {name: b, values: [1, -1]}
# CHECK: ops:
# CHECK-NEXT: {op: Conv, name: conv, in: [x, {{.*}}, {{.*}}], out: ["y"]
# CHECK-NOT: op:
# CHECK: values: [0.5, 1.0, 0.75, 1.0, 10.0, 12.0, 7.0, 8.0]
)";
  checkSameValues(parseGraph(yaml), checkPass("scale-sink", yaml));
}

TEST_CASE("scale-sink: padding takes factors, not summands") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 1, 3, 3]}
  - {name: s, type: float32, shape: [], const: true}
  - {name: w, type: float32, shape: [1, 1, 3, 3], const: true}
  - {name: a, type: float32, shape: [1, 1, 3, 3]}
  - {name: m, type: float32, shape: [1, 1, 3, 3]}
  - {name: y, type: float32, shape: [1, 1, 3, 3]}
ops:
  - {op: Add, name: add, in: [x, s], out: [a]}
  - {op: Mul, name: mul, in: [s, a], out: [m]}
  - {op: Conv, name: conv, in: [m, w], out: [y], attrs: {kernel_shape: [3, 3], pads: [1, 1, 1, 1]}}
blobs:
  - {name: s, values: [2]}
  - {name: w, values: [1, 2, 3, 4, 5, 6, 7, 8, 9]}
# CHECK: {op: Add, name: add
# CHECK-NEXT: {op: Conv, name: conv, in: [a
# CHECK-NOT: op:
)";
  checkSameValues(parseGraph(yaml), checkPass("scale-sink", yaml));
}

TEST_CASE("scale-sink: both layouts of a Gemm, and one for all") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [3, 2]}
  - {name: s, type: float32, shape: [2], const: true}
  - {name: o, type: float32, shape: [], const: true}
  - {name: w, type: float32, shape: [2, 2], const: true}
  - {name: t, type: float32, shape: [3, 2]}
  - {name: g, type: float32, shape: [3, 2]}
  - {name: u, type: float32, shape: [3, 2]}
  - {name: y, type: float32, shape: [3, 2]}
ops:
  - {op: Mul, name: mul, in: [x, s], out: [t]}
  - {op: Gemm, name: one, in: [t, w], out: [g], attrs: {transB: 1}}
  - {op: Sub, name: sub, in: [o, g], out: [u]}
  - {op: Gemm, name: two, in: [u, w], out: [y]}
blobs:
  - {name: s, values: [2, 3]}
  - {name: o, values: [5]}
  - {name: w, values: [1, 2, 3, 4]}
# CHECK: ops:
# CHECK-NEXT: {op: Gemm, name: one, in: [x
# CHECK-NEXT: {op: Gemm, name: two, in: [g
# CHECK-NOT: op:
)";
  checkSameValues(parseGraph(yaml), checkPass("scale-sink", yaml));
}

TEST_CASE("scale-fold: leaves a sum per element, a result with two readers, and a division by the "
          "result") {
  checkUnchanged("scale-fold", R"(
inputs: [{name: x}]
outputs: [{name: y}, {name: z}, {name: q}]
tensors:
  - {name: x, type: float32, shape: [2, 2]}
  - {name: w, type: float32, shape: [2, 2], const: true}
  - {name: s, type: float32, shape: [2, 1], const: true}
  - {name: g, type: float32, shape: [2, 2]}
  - {name: y, type: float32, shape: [2, 2]}
  - {name: h, type: float32, shape: [2, 2]}
  - {name: z, type: float32, shape: [2, 2]}
  - {name: k, type: float32, shape: [2, 2]}
  - {name: q, type: float32, shape: [2, 2]}
ops:
  - {op: Gemm, name: g1, in: [x, w], out: [g], attrs: {transB: 1}}
  - {op: Add, name: o1, in: [g, s], out: [y]}
  - {op: Gemm, name: g2, in: [x, w], out: [h], attrs: {transB: 1}}
  - {op: Mul, name: o2, in: [h, h], out: [z]}
  - {op: Gemm, name: g3, in: [x, w], out: [k], attrs: {transB: 1}}
  - {op: Div, name: o3, in: [s, k], out: [q]}
blobs:
  - {name: w, values: [1, 2, 3, 4]}
  - {name: s, values: [1, 2]}
)");
}

TEST_CASE("split-projection: parts of a Gemm, also behind a Reshape") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: p}, {name: q}]
tensors:
  - {name: x, type: float32, shape: [3, 2]}
  - {name: w, type: float32, shape: [4, 2], const: true}
  - {name: b, type: float32, shape: [4], const: true}
  - {name: t, type: float32, shape: [3, 4]}
  - {name: r, type: float32, shape: [1, 3, 4]}
  - {name: p, type: float32, shape: [1, 3, 1]}
  - {name: q, type: float32, shape: [1, 3, 3]}
ops:
  - {op: Gemm, name: gemm, in: [x, w, b], out: [t], attrs: {transB: 1}}
  - {op: Reshape, name: fold, in: [t], out: [r], attrs: {shape: [1, 3, 4]}}
  - {op: Slice, name: s1, in: [r], out: [p], attrs: {axes: [2], ends: [1], starts: [0], steps: [1]}}
  - {op: Slice, name: s2, in: [r], out: [q], attrs: {axes: [2], ends: [4], starts: [1], steps: [1]}}
blobs:
  - {name: w, values: [1, 2, 3, 4, 5, 6, 7, 8]}
  - {name: b, values: [1, 2, 3, 4]}
# CHECK: ops:
# CHECK-NEXT: {op: Gemm, {{.*}} in: [x, w_part, b_part]
# CHECK-NEXT: {op: Reshape, name: s1
# CHECK-NEXT: {op: Gemm, {{.*}}
# CHECK-NEXT: {op: Reshape, name: s2
# CHECK-NOT: op:
# CHECK: {name: b_part, values: [1.0]}
)";
  checkSameValues(parseGraph(yaml), checkPass("split-projection", yaml));
}

TEST_CASE("split-projection: an int8 convolution keeps the scales of its channels") {
  checkPass("split-projection", R"(
inputs: [{name: x}]
outputs: [{name: p}, {name: q}]
tensors:
  - {name: x, type: int8, shape: [1, 1, 2, 2], quant: {scale: 0.5}}
  - {name: w, type: int8, shape: [2, 1, 1, 1], quant: {axis: 0, scale: [0.25, 0.5]}, const: true}
  - {name: t, type: int8, shape: [1, 2, 2, 2], quant: {scale: 1}}
  - {name: p, type: int8, shape: [1, 1, 2, 2], quant: {scale: 1}}
  - {name: q, type: int8, shape: [1, 1, 2, 2], quant: {scale: 1}}
ops:
  - {op: Conv, name: conv, in: [x, w], out: [t], attrs: {group: 1, kernel_shape: [1, 1]}}
  - {op: Slice, name: s1, in: [t], out: [p], attrs: {axes: [1], ends: [1], starts: [0], steps: [1]}}
  - {op: Slice, name: s2, in: [t], out: [q], attrs: {axes: [1], ends: [2], starts: [1], steps: [1]}}
blobs:
  - {name: w, values: [3, 4]}
# CHECK: {name: w_part, type: int8, shape: [1, 1, 1, 1], quant: {axis: 0, scale: [0.25]}, const: true}
# CHECK: {name: w_part_1, type: int8, shape: [1, 1, 1, 1], quant: {axis: 0, scale: [0.5]}, const: true}
# CHECK: ops:
# CHECK-NEXT: {op: Conv, name: s1, in: [x, w_part], out: [p]
# CHECK-NEXT: {op: Conv, name: s2, in: [x, w_part_1], out: [q]
)");
}

TEST_CASE("split-projection: a convolution with its activation, channels last") {
  const char* yaml = R"(
layout: channels-last
inputs: [{name: x}]
outputs: [{name: p}, {name: q}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 2, 1]}
  - {name: w, type: float32, shape: [3, 1, 1, 1], const: true}
  - {name: t, type: float32, shape: [1, 2, 2, 3]}
  - {name: p, type: float32, shape: [1, 2, 2, 1]}
  - {name: q, type: float32, shape: [1, 2, 2, 2]}
ops:
  - {op: Conv, name: conv, in: [x, w], out: [t], attrs: {group: 1, kernel_shape: [1, 1]}, act: Relu}
  - {op: Slice, name: s1, in: [t], out: [p], attrs: {axes: [3], ends: [1], starts: [0], steps: [1]}}
  - {op: Slice, name: s2, in: [t], out: [q], attrs: {axes: [3], ends: [3], starts: [1], steps: [1]}}
blobs:
  - {name: w, values: [3, -4, 5]}
# CHECK: ops:
# CHECK-NEXT: {op: Conv, name: s1, in: [x, w_part], out: [p], attrs: {group: 1, kernel_shape: [1, 1]}, act: Relu
# CHECK-NEXT: {op: Conv, name: s2, in: [x, w_part_1], out: [q], attrs: {group: 1, kernel_shape: [1, 1]}, act: Relu
# CHECK-NOT: op:
)";
  checkSameValues(parseGraph(yaml), checkPass("split-projection", yaml));
}

TEST_CASE("split-projection: leaves overlapping parts and a result that is read as a whole") {
  checkUnchanged("split-projection", R"(
inputs: [{name: x}]
outputs: [{name: p}, {name: q}]
tensors:
  - {name: x, type: float32, shape: [3, 2]}
  - {name: w, type: float32, shape: [4, 2], const: true}
  - {name: t, type: float32, shape: [3, 4]}
  - {name: p, type: float32, shape: [3, 3]}
  - {name: q, type: float32, shape: [3, 2]}
ops:
  - {op: Gemm, name: gemm, in: [x, w], out: [t], attrs: {transB: 1}}
  - {op: Slice, name: s1, in: [t], out: [p], attrs: {axes: [1], ends: [3], starts: [0], steps: [1]}}
  - {op: Slice, name: s2, in: [t], out: [q], attrs: {axes: [1], ends: [4], starts: [2], steps: [1]}}
blobs:
  - {name: w, values: [1, 2, 3, 4, 5, 6, 7, 8]}
)");
}
