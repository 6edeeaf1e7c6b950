// Layout assignment, and the passes that move and cancel its Transposes.
#include "PassTesting.h"

#include <doctest/doctest.h>

using namespace tigris;

TEST_CASE("layout-assign: wraps every operator with a channel axis") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 4, 3]}
  - {name: w, type: float32, shape: [5, 2, 3, 3], const: true}
  - {name: y, type: float32, shape: [1, 5, 2, 1]}
ops:
  - {op: Conv, name: conv, in: [x, w], out: [y], attrs: {kernel_shape: [3, 3]}}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
# CHECK: layout: channels-last
# CHECK: ops:
# CHECK-NEXT: {op: Transpose, {{.*}} in: [x], {{.*}} attrs: {perm: [0, 2, 3, 1]}}
# CHECK-NEXT: {op: Conv, name: conv
# CHECK-NEXT: {op: Transpose, {{.*}} attrs: {perm: [0, 3, 1, 2]}}
)";
  checkSameValues(parseGraph(yaml), checkPass("layout-assign", yaml));
}

TEST_CASE("layout-assign: sequences, resize factors, and ops without a channel axis") {
  checkPass("layout-assign", R"(
inputs: [{name: x}, {name: z}]
outputs: [{name: y}, {name: r}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 6]}
  - {name: w, type: float32, shape: [4, 2, 3], const: true}
  - {name: y, type: float32, shape: [1, 4, 4]}
  - {name: z, type: float32, shape: [1, 3, 2, 2]}
  - {name: r, type: float32, shape: [1, 3, 4, 6]}
ops:
  - {op: Conv1D, name: conv, in: [x, w], out: [y], attrs: {kernel_shape: [3]}}
  - {op: Resize, name: up, in: [z], out: [r], attrs: {scales: [1.0, 1.0, 2.0, 3.0], mode: nearest}}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
# CHECK: {op: Transpose, {{.*}} in: [x], {{.*}} attrs: {perm: [0, 2, 1]}}
# CHECK: {op: Resize, {{.*}}scales: [1.0, 2.0, 3.0, 1.0]
)");
}

TEST_CASE("transpose-sink: element-wise operators, constants permuted along") {
  const char* yaml = R"(
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 3, 4]}
  - {name: c, type: float32, shape: [4, 1, 1], const: true}
  - {name: t, type: float32, shape: [1, 4, 2, 3]}
  - {name: m, type: float32, shape: [1, 4, 2, 3]}
  - {name: y, type: float32, shape: [1, 4, 2, 3]}
ops:
  - {op: Transpose, name: tr, in: [x], out: [t], attrs: {perm: [0, 3, 1, 2]}}
  - {op: Mul, name: mul, in: [t, c], out: [m]}
  - {op: Relu, name: relu, in: [m], out: [y]}
blobs:
  - {name: c, values: [1.0, -2.0, 3.0, -4.0]}
# CHECK: ops:
# CHECK-NEXT: {op: Mul, name: mul, in: [x,
# CHECK-NEXT: {op: Relu, name: relu
# CHECK-NEXT: {op: Transpose, {{.*}}perm: [0, 3, 1, 2]
)";
  checkSameValues(parseGraph(yaml), checkPass("transpose-sink", yaml));
}

TEST_CASE("transpose-sink: renumbers axes of slices, pads, softmax and reductions") {
  const char* yaml = R"(
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 3, 4]}
  - {name: t, type: float32, shape: [1, 4, 2, 3]}
  - {name: s, type: float32, shape: [1, 3, 2, 3]}
  - {name: p, type: float32, shape: [1, 3, 3, 3]}
  - {name: f, type: float32, shape: [1, 3, 3, 3]}
  - {name: y, type: float32, shape: [1, 3]}
ops:
  - {op: Transpose, name: tr, in: [x], out: [t], attrs: {perm: [0, 3, 1, 2]}}
  - {op: Slice, name: slice, in: [t], out: [s], attrs: {starts: [1], ends: [4], axes: [1], steps: [1]}}
  - {op: Pad, name: pad, in: [s], out: [p], attrs: {pads: [0, 0, 1, 0, 0, 0, 0, 0]}}
  - {op: Softmax, name: soft, in: [p], out: [f], attrs: {axis: 1}}
  - {op: ReduceMean, name: mean, in: [f], out: [y], attrs: {axes: [2, 3], keepdims: 0}}
# CHECK: ops:
# CHECK-NEXT: {op: Slice, {{.*}}axes: [3]
# CHECK-NEXT: {op: Pad, {{.*}}pads: [0, 1, 0, 0, 0, 0, 0, 0]
# CHECK-NEXT: {op: Softmax, {{.*}}axis: 3
# CHECK-NEXT: {op: ReduceMean, {{.*}} out: ["y"], attrs: {axes: [1, 2], keepdims: 0}}
)";
  checkSameValues(parseGraph(yaml), checkPass("fixpoint(transpose-sink)", yaml));
}

TEST_CASE("transpose-sink: stays where the other operand would have to be transposed instead") {
  checkUnchanged("transpose-sink", R"(
layout: channels-last
inputs: [{name: x}, {name: z}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 3, 4]}
  - {name: z, type: float32, shape: [1, 4, 3]}
  - {name: t, type: float32, shape: [1, 4, 3]}
  - {name: y, type: float32, shape: [1, 4, 3]}
ops:
  - {op: Transpose, name: tr, in: [x], out: [t], attrs: {perm: [0, 2, 1]}}
  - {op: Add, name: add, in: [t, z], out: [y]}
)");
}

TEST_CASE("concat-axis-normalize: joins channels where they are") {
  const char* yaml = R"(
layout: channels-last
inputs: [{name: a}, {name: b}]
outputs: [{name: y}]
tensors:
  - {name: a, type: float32, shape: [1, 2, 3, 4]}
  - {name: b, type: float32, shape: [1, 2, 3, 1]}
  - {name: at, type: float32, shape: [1, 4, 2, 3]}
  - {name: bt, type: float32, shape: [1, 1, 2, 3]}
  - {name: y, type: float32, shape: [1, 5, 2, 3]}
ops:
  - {op: Transpose, name: ta, in: [a], out: [at], attrs: {perm: [0, 3, 1, 2]}}
  - {op: Transpose, name: tb, in: [b], out: [bt], attrs: {perm: [0, 3, 1, 2]}}
  - {op: Concat, name: join, in: [at, bt], out: [y], attrs: {axis: 1}}
# CHECK: ops:
# CHECK-NEXT: {op: Concat, name: join, in: [a, b], {{.*}} attrs: {axis: 3}
# CHECK-NEXT: {op: Transpose
)";
  checkSameValues(parseGraph(yaml), checkPass("concat-axis-normalize", yaml));
}

TEST_CASE("transpose-cancel: pairs, compositions, constants and moves of unit dimensions") {
  const char* yaml = R"(
layout: channels-last
inputs: [{name: x}, {name: g}]
outputs: [{name: y}, {name: r}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 3, 4]}
  - {name: c, type: float32, shape: [3, 4], const: true}
  - {name: ct, type: float32, shape: [4, 3]}
  - {name: a, type: float32, shape: [1, 2, 3, 4]}
  - {name: t, type: float32, shape: [1, 4, 2, 3]}
  - {name: u, type: float32, shape: [1, 2, 3, 4]}
  - {name: y, type: float32, shape: [1, 2, 3, 3]}
  - {name: g, type: float32, shape: [1, 1, 1, 4]}
  - {name: h, type: float32, shape: [1, 1, 1, 4]}
  - {name: k, type: float32, shape: [1, 4, 1, 1]}
  - {name: r, type: float32, shape: [1, 4, 1, 1]}
ops:
  - {op: Relu, name: o0, in: [x], out: [a]}
  - {op: Transpose, name: o1, in: [a], out: [t], attrs: {perm: [0, 3, 1, 2]}}
  - {op: Transpose, name: o2, in: [t], out: [u], attrs: {perm: [0, 2, 3, 1]}}
  - {op: Transpose, name: o3, in: [c], out: [ct], attrs: {perm: [1, 0]}}
  - {op: MatMul, name: o4, in: [u, ct], out: [y]}
  - {op: Relu, name: o5, in: [g], out: [h]}
  - {op: Transpose, name: o6, in: [h], out: [k], attrs: {perm: [0, 3, 1, 2]}}
  - {op: Relu, name: o7, in: [k], out: [r]}
blobs:
  - {name: c, values: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]}
# CHECK: ops:
# CHECK-NEXT: {op: Relu, name: o0
# CHECK-NEXT: {op: MatMul, name: o4, in: [a,
# CHECK-NEXT: {op: Relu, name: o5
# CHECK-NEXT: {op: Reshape, name: o6, {{.*}}shape: [1, 4, 1, 1]
# CHECK-NOT: Transpose
)";
  checkSameValues(parseGraph(yaml), checkPass("transpose-cancel", yaml));
}

TEST_CASE("transpose-hoist: up to the model input, through preprocessing") {
  const char* yaml = R"(
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 3, 4]}
  - {name: mean, type: float32, shape: [1, 2, 1, 1], const: true}
  - {name: s, type: float32, shape: [1, 2, 3, 4]}
  - {name: a, type: float32, shape: [1, 2, 3, 4]}
  - {name: t, type: float32, shape: [1, 3, 4, 2]}
  - {name: y, type: float32, shape: [1, 1, 1, 2]}
ops:
  - {op: Sub, name: sub, in: [x, mean], out: [s]}
  - {op: Abs, name: abs, in: [s], out: [a]}
  - {op: Transpose, name: tr, in: [a], out: [t], attrs: {perm: [0, 2, 3, 1]}}
  - {op: GlobalAveragePool, name: gap, in: [t], out: [y]}
blobs:
  - {name: mean, values: [0.5, -0.5]}
# CHECK: ops:
# CHECK-NEXT: {op: Transpose, {{.*}} in: [x], {{.*}}perm: [0, 2, 3, 1]
# CHECK-NEXT: {op: Sub, name: sub
# CHECK-NEXT: {op: Abs, name: abs
# CHECK-NEXT: {op: GlobalAveragePool
# CHECK-NOT: Transpose
)";
  checkSameValues(parseGraph(yaml), checkPass("transpose-hoist", yaml));
}

TEST_CASE("input- and output-transpose-trim: the order becomes part of the port") {
  checkPass("input-transpose-trim,output-transpose-trim", R"(
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 3, 4]}
  - {name: t, type: float32, shape: [1, 3, 4, 2]}
  - {name: u, type: float32, shape: [1, 3, 4, 2]}
  - {name: y, type: float32, shape: [1, 2, 3, 4]}
ops:
  - {op: Transpose, name: o1, in: [x], out: [t], attrs: {perm: [0, 2, 3, 1]}}
  - {op: Relu, name: o2, in: [t], out: [u]}
  - {op: Transpose, name: o3, in: [u], out: [y], attrs: {perm: [0, 3, 1, 2]}}
# CHECK: {name: x, shape: [1, 2, 3, 4], perm: [0, 2, 3, 1]}
# CHECK: {name: "y", tensor: u, shape: [1, 2, 3, 4], perm: [0, 2, 3, 1]}
# CHECK: {name: x, type: float32, shape: [1, 3, 4, 2]}
# CHECK: ops:
# CHECK-NEXT: {op: Relu, name: o2, in: [x], out: [u]}
# CHECK-NOT: Transpose
)");
  // The input is not changed if a second reader needs the original order.
  checkUnchanged("input-transpose-trim", R"(
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}, {name: z}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 3, 4]}
  - {name: t, type: float32, shape: [1, 3, 4, 2]}
  - {name: y, type: float32, shape: [1, 3, 4, 2]}
  - {name: z, type: float32, shape: [1, 2, 3, 4]}
ops:
  - {op: Transpose, name: o1, in: [x], out: [t], attrs: {perm: [0, 2, 3, 1]}}
  - {op: Relu, name: o2, in: [t], out: [y]}
  - {op: Relu, name: o3, in: [x], out: [z]}
)");
}
