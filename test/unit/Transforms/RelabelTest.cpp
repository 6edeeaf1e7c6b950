// Passes that rename operators after the kernel that executes them.
#include "PassTesting.h"

#include <doctest/doctest.h>

using namespace tigris;

TEST_CASE("silu-decompose: x * sigmoid(x)") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [5]}
  - {name: y, type: float32, shape: [5]}
ops:
  - {op: Silu, name: s, in: [x], out: [y], origin: [act]}
# CHECK: ops:
# CHECK-NEXT: {op: Sigmoid, name: s_1, in: [x], out: [s_1.out], origin: [act]}
# CHECK-NEXT: {op: Mul, name: s, in: [x, s_1.out], out: ["y"], origin: [act]}
)";
  checkSameValues(parseGraph(yaml), checkPass("silu-decompose", yaml));
}

TEST_CASE("silu-decompose: the int8 sigmoid has the scale of its range") {
  checkPass("silu-decompose", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [5], quant: {scale: 0.1}}
  - {name: y, type: int8, shape: [5], quant: {scale: 0.05, zero_point: -100}}
ops:
  - {op: Silu, name: s, in: [x], out: [y]}
# CHECK: {name: s_1.out, type: int8, shape: [5], quant: {scale: 0.00390625, zero_point: -128}}
)");
}

TEST_CASE("depthwise-conv-relabel and conv1d-relabel") {
  const char* yaml = R"(
inputs: [{name: x}, {name: s}]
outputs: [{name: y}, {name: z}]
tensors:
  - {name: x, type: float32, shape: [1, 4, 8, 8]}
  - {name: w, type: float32, shape: [8, 1, 3, 3], const: true}
  - {name: v, type: float32, shape: [8, 4, 3, 3], const: true}
  - {name: a, type: float32, shape: [1, 8, 6, 6]}
  - {name: y, type: float32, shape: [1, 8, 4, 4]}
  - {name: s, type: float32, shape: [1, 1, 9]}
  - {name: u, type: float32, shape: [2, 1, 3], const: true}
  - {name: t, type: float32, shape: [2, 1, 3], const: true}
  - {name: b, type: float32, shape: [1, 2, 7]}
  - {name: z, type: float32, shape: [1, 2, 5]}
ops:
  - {op: Conv, name: o1, in: [x, w], out: [a], attrs: {group: 4}}
  - {op: Conv, name: o2, in: [a, v], out: [y], attrs: {group: 2}}
  - {op: Conv, name: o3, in: [s, u], out: [b]}
  - {op: Conv, name: o4, in: [b, t], out: [z], attrs: {group: 2}}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
  - {name: v, fill: {seed: 2, amplitude: 1.0}}
  - {name: u, fill: {seed: 3, amplitude: 1.0}}
  - {name: t, fill: {seed: 4, amplitude: 1.0}}
# CHECK: {op: DepthwiseConv, name: o1,
# CHECK-NEXT: {op: Conv, name: o2,
# CHECK-NEXT: {op: Conv1D, name: o3,
# CHECK-NEXT: {op: DepthwiseConv, name: o4,
)";
  checkSameValues(parseGraph(yaml), checkPass("depthwise-conv-relabel,conv1d-relabel", yaml));
}

TEST_CASE("clip-to-relu6: the usual bounds have names") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [4]}
  - {name: a, type: float32, shape: [4]}
  - {name: b, type: float32, shape: [4]}
  - {name: c, type: float32, shape: [4]}
  - {name: y, type: float32, shape: [4]}
ops:
  - {op: Clip, name: o1, in: [x], out: [a], attrs: {min: -0.5, max: 0.5}}
  - {op: Clip, name: o2, in: [a], out: [b]}
  - {op: Clip, name: o3, in: [b], out: [c], attrs: {min: 0.0, max: 6.0}}
  - {op: Clip, name: o4, in: [c], out: [y], attrs: {min: 0.0, max: 3.4028235e+38}}
# CHECK: {op: Clip, name: o1, in: [x], out: [a]
# CHECK-NEXT: {op: Relu6, name: o3, in: [a], out: [c]}
# CHECK-NEXT: {op: Relu, name: o4, in: [c], out: ["y"]}
)";
  checkSameValues(parseGraph(yaml), checkPass("clip-to-relu6", yaml));
}

TEST_CASE("clip-to-relu6, reduce-mean-to-gap: arguments may be constant operands") {
  const char* yaml = R"(
inputs: [{name: x}, {name: k}]
outputs: [{name: y}, {name: z}]
tensors:
  - {name: x, type: float32, shape: [1, 4, 8, 8]}
  - {name: k, type: float32, shape: []}
  - {name: lo, type: float32, shape: [], const: true}
  - {name: hi, type: float32, shape: [], const: true}
  - {name: ax, type: int64, shape: [2], const: true}
  - {name: a, type: float32, shape: [1, 4, 8, 8]}
  - {name: b, type: float32, shape: [1, 4, 8, 8]}
  - {name: y, type: float32, shape: [1, 4, 1, 1]}
  - {name: z, type: float32, shape: [1, 4, 8, 8]}
ops:
  - {op: Clip, name: o1, in: [x, lo, hi], out: [a]}
  - {op: Clip, name: o2, in: [a, lo], out: [b]}
  - {op: ReduceMean, name: o3, in: [b, ax], out: [y], attrs: {keepdims: 1}}
  - {op: Clip, name: o4, in: [x, lo, k], out: [z]}
blobs:
  - {name: lo, values: [0.0]}
  - {name: hi, values: [6.0]}
  - {name: ax, values: [-1, -2]}
# CHECK: {op: Relu6, name: o1, in: [x], out: [a]}
# CHECK-NEXT: {op: Relu, name: o2, in: [a], out: [b]}
# CHECK-NEXT: {op: GlobalAveragePool, name: o3, in: [b], out: ["y"]}
# CHECK-NEXT: {op: Clip, name: o4, in: [x, lo, k]
)";
  checkPass("clip-to-relu6,reduce-mean-to-gap", yaml);
}

TEST_CASE("reduce-mean-to-gap: over all positions") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}, {name: z}]
tensors:
  - {name: x, type: float32, shape: [1, 4, 8, 8]}
  - {name: y, type: float32, shape: [1, 4, 1, 1]}
  - {name: z, type: float32, shape: [1, 4]}
ops:
  - {op: ReduceMean, name: o1, in: [x], out: [y], attrs: {axes: [2, 3], keepdims: 1}}
  - {op: ReduceMean, name: o2, in: [x], out: [z], attrs: {axes: [2, 3], keepdims: 0}}
# CHECK: {op: GlobalAveragePool, name: o1, in: [x], out: ["y"]}
# CHECK-NEXT: {op: GlobalAveragePool, name: o2_1, in: [x], out: [o2_1.out]}
# CHECK-NEXT: {op: Reshape, name: o2, in: [o2_1.out], out: [z], attrs: {shape: [1, 4]}}
)";
  checkSameValues(parseGraph(yaml), checkPass("reduce-mean-to-gap", yaml));
}

TEST_CASE("reduce-mean-to-gap: in channels-last order the positions are in the middle") {
  checkPass("reduce-mean-to-gap", R"(
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 8, 8, 4]}
  - {name: y, type: float32, shape: [1, 1, 1, 4]}
ops:
  - {op: ReduceMean, name: o, in: [x], out: [y], attrs: {axes: [1, 2], keepdims: 1}}
# CHECK: {op: GlobalAveragePool, name: o, in: [x], out: ["y"]}
)");
}

TEST_CASE("reduce-mean-to-gap: tokens are not positions, and some axes are not all") {
  checkUnchanged("reduce-mean-to-gap", R"(
inputs: [{name: x}, {name: t}]
outputs: [{name: y}, {name: z}]
tensors:
  - {name: x, type: float32, shape: [1, 4, 8, 8]}
  - {name: t, type: float32, shape: [1, 17, 32]}
  - {name: y, type: float32, shape: [1, 4, 1, 8]}
  - {name: z, type: float32, shape: [1, 17, 1]}
ops:
  - {op: ReduceMean, name: o1, in: [x], out: [y], attrs: {axes: [2], keepdims: 1}}
  - {op: ReduceMean, name: o2, in: [t], out: [z], attrs: {axes: [2], keepdims: 1}}
)");
}
