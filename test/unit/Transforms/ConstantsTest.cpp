// Passes on constants, arguments and dead code.
#include "PassTesting.h"
#include "tigris/Transforms/Passes.h"

#include <doctest/doctest.h>

using namespace tigris;

TEST_CASE("constant-op-fold: Constant becomes a constant tensor") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2]}
  - {name: value, type: float32, shape: [2], const: true}
  - {name: c, type: float32, shape: [2]}
  - {name: y, type: float32, shape: [2]}
ops:
  - {op: Constant, name: k, in: [value], out: [c]}
  - {op: Add, name: a, in: [x, c], out: [y]}
blobs:
  - {name: value, values: [1.0, 2.0]}
# CHECK-NOT: name: c,
# CHECK: ops:
# CHECK-NEXT: {op: Add, name: a, in: [x, value], out: ["y"]}
# CHECK-NOT: Constant
)";
  checkSameValues(parseGraph(yaml), checkPass("constant-op-fold", yaml));
}

TEST_CASE("identity-removal: what reduces a scalar keeps it") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: []}
  - {name: a, type: float32, shape: []}
  - {name: b, type: float32, shape: []}
  - {name: y, type: float32, shape: []}
ops:
  - {op: ReduceMean, name: o1, in: [x], out: [a]}
  - {op: ReduceMax, name: o2, in: [a], out: [b]}
  - {op: Relu, name: o3, in: [b], out: ["y"]}
# CHECK: ops:
# CHECK-NEXT: {op: Relu, name: o3, in: [x], out: ["y"]}
)";
  checkSameValues(parseGraph(yaml), checkPass("identity-removal", yaml));
}

TEST_CASE("identity-removal: operators that keep everything disappear") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2, 3]}
  - {name: a, type: float32, shape: [2, 3]}
  - {name: b, type: float32, shape: [2, 3]}
  - {name: c, type: float32, shape: [2, 3]}
  - {name: d, type: float32, shape: [2, 3]}
  - {name: e, type: float32, shape: [2, 3]}
  - {name: f, type: float32, shape: [2, 3]}
  - {name: g, type: float32, shape: [2, 3]}
  - {name: h, type: float32, shape: [2, 3]}
  - {name: y, type: float32, shape: [2, 3]}
ops:
  - {op: Identity, name: o1, in: [x], out: [a]}
  - {op: Dropout, name: o2, in: [a], out: [b]}
  - {op: Cast, name: o3, in: [b], out: [c], attrs: {to: float32}}
  - {op: Transpose, name: o4, in: [c], out: [d], attrs: {perm: [0, 1]}}
  - {op: Concat, name: o5, in: [d], out: [e], attrs: {axis: 1}}
  - {op: Pad, name: o6, in: [e], out: [f], attrs: {pads: [0, 0, 0, 0]}}
  - {op: Slice, name: o7, in: [f], out: [g], attrs: {starts: [0], ends: [9], axes: [1]}}
  - {op: Expand, name: o8, in: [g], out: [h], attrs: {shape: [1, 3]}}
  - {op: Relu, name: o9, in: [h], out: [y]}
# CHECK: ops:
# CHECK-NEXT: {op: Relu, name: o9, in: [x], out: ["y"]}
)";
  checkPass("identity-removal", yaml);
}

TEST_CASE("identity-removal: a model that only hands on its input keeps a copy") {
  checkPass("identity-removal", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2, 3]}
  - {name: y, type: float32, shape: [2, 3]}
ops:
  - {op: Identity, name: o, in: [x], out: [y]}
# CHECK: {op: Reshape, name: o, in: [x], out: ["y"], attrs: {shape: [2, 3]}}
)");
}

TEST_CASE("identity-removal: what changes something stays") {
  checkUnchanged("identity-removal", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [3, 3]}
  - {name: a, type: float32, shape: [3, 3]}
  - {name: b, type: float32, shape: [3, 3]}
  - {name: q, type: int8, shape: [3, 3], quant: {scale: 0.5}}
  - {name: r, type: int8, shape: [3, 3], quant: {scale: 0.25}}
  - {name: y, type: float32, shape: [3, 3]}
ops:
  - {op: Transpose, name: o1, in: [x], out: [a], attrs: {perm: [1, 0]}}
  - {op: Slice, name: o2, in: [a], out: [b], attrs: {starts: [2], ends: [-9], axes: [1], steps: [-1]}}
  - {op: QuantizeLinear, name: o3, in: [b], out: [q]}
  - {op: Requantize, name: o4, in: [q], out: [r]}
  - {op: DequantizeLinear, name: o5, in: [r], out: [y]}
)");
}

TEST_CASE("constant-fold: a shape chain becomes numbers") {
  const Graph graph = checkPass("constant-fold,dead-code", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2, 3, 4]}
  - {name: zero, type: int64, shape: [], const: true}
  - {name: minus, type: int64, shape: [1], const: true}
  - {name: axes, type: int64, shape: [1], const: true}
  - {name: s, type: int64, shape: [3]}
  - {name: n, type: int64, shape: []}
  - {name: u, type: int64, shape: [1]}
  - {name: t, type: int64, shape: [2]}
  - {name: y, type: float32, shape: [2, 12]}
ops:
  - {op: Shape, name: o1, in: [x], out: [s]}
  - {op: Gather, name: o2, in: [s, zero], out: [n]}
  - {op: Unsqueeze, name: o3, in: [n, axes], out: [u]}
  - {op: Concat, name: o4, in: [u, minus], out: [t], attrs: {axis: 0}}
  - {op: Reshape, name: o5, in: [x, t], out: [y]}
blobs:
  - {name: zero, values: [0]}
  - {name: minus, values: [-1]}
  - {name: axes, values: [0]}
# CHECK: ops:
# CHECK-NEXT: {op: Reshape, name: o5, in: [x, t], out: ["y"]}
# CHECK: {name: t, values: [2, -1]}
)");
  CHECK(graph.order().size() == 1);
}

TEST_CASE("constant-fold: a constant model output keeps a producer") {
  checkPass("constant-fold", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2]}
  - {name: c, type: float32, shape: [2], const: true}
  - {name: y, type: float32, shape: [2]}
ops:
  - {op: Neg, name: o, in: [c], out: [y]}
blobs:
  - {name: c, values: [1.0, -2.0]}
# CHECK: {op: Reshape, name: o, in: [y_1], out: ["y"], attrs: {shape: [2]}}
# CHECK: {name: y_1, values: [-1.0, 2.0]}
)");
}

TEST_CASE("constant-fold: dequantized constants only on request") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2, 2]}
  - {name: q, type: int8, shape: [2, 2], quant: {axis: 0, scale: [0.5, 2.0], zero_point: [0, 1]}, const: true}
  - {name: r, type: float32, shape: [2, 2]}
  - {name: y, type: float32, shape: [2, 2]}
ops:
  - {op: DequantizeLinear, name: d, in: [q], out: [r]}
  - {op: Add, name: a, in: [x, r], out: [y]}
blobs:
  - {name: q, values: [2, 4, 3, 5]}
# CHECK: {name: r, values: [1.0, 2.0, 4.0, 8.0]}
)";
  checkUnchanged("constant-fold", yaml);
  checkPass("constant-fold{dequantize}", yaml);
}

TEST_CASE("static-args: operands become attributes in canonical form") {
  checkPass("static-args", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2, 3, 8]}
  - {name: lo, type: float32, shape: [], const: true}
  - {name: starts, type: int64, shape: [2], const: true}
  - {name: ends, type: int64, shape: [2], const: true}
  - {name: axes, type: int64, shape: [2], const: true}
  - {name: pads, type: int64, shape: [2], const: true}
  - {name: last, type: int64, shape: [1], const: true}
  - {name: a, type: float32, shape: [2, 3, 8]}
  - {name: b, type: float32, shape: [2, 2, 4]}
  - {name: c, type: float32, shape: [2, 2, 7]}
  - {name: d, type: float32, shape: [2, 2, 1]}
  - {name: y, type: float32, shape: [2, 2, 1]}
ops:
  - {op: Clip, name: o1, in: [x, lo], out: [a]}
  - {op: Slice, name: o2, in: [a, starts, ends, axes], out: [b]}
  - {op: Pad, name: o3, in: [b, pads, null, last], out: [c]}
  - {op: ReduceMean, name: o4, in: [c, last], out: [d]}
  - {op: Softmax, name: o5, in: [d], out: [y]}
blobs:
  - {name: lo, values: [-1.5]}
  - {name: starts, values: [-2, 0]}
  - {name: ends, values: [99, 4]}
  - {name: axes, values: [1, -1]}
  - {name: pads, values: [1, 2]}
  - {name: last, values: [-1]}
# CHECK-NOT: const: true
# CHECK: {op: Clip, name: o1, in: [x], out: [a], attrs: {min: -1.5}}
# CHECK-NEXT: {op: Slice, name: o2, in: [a], out: [b], attrs: {axes: [1, 2], ends: [3, 4], starts: [1, 0], steps: [1, 1]}}
# CHECK-NEXT: {op: Pad, name: o3, in: [b], out: [c], attrs: {pads: [0, 0, 1, 0, 0, 2]}}
# CHECK-NEXT: {op: ReduceMean, name: o4, in: [c], out: [d], attrs: {axes: [2], keepdims: 1}}
# CHECK-NEXT: {op: Softmax, name: o5, in: [d], out: ["y"], attrs: {axis: 2}}
)");
}

TEST_CASE("static-args: a slice that runs backward keeps its direction") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [5]}
  - {name: y, type: float32, shape: [3]}
ops:
  - {op: Slice, name: o, in: [x], out: [y], attrs: {starts: [-1], ends: [-99], steps: [-2]}}
# CHECK: {op: Slice, name: o, in: [x], out: ["y"], attrs: {axes: [0], ends: [-6], starts: [4], steps: [-2]}}
)";
  checkSameValues(parseGraph(yaml), checkPass("static-args", yaml));
}

TEST_CASE("static-args: scales, Reshape and Resize are other passes' business") {
  checkUnchanged("static-args", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [4]}
  - {name: s, type: float32, shape: [], const: true}
  - {name: z, type: int8, shape: [], const: true}
  - {name: t, type: int64, shape: [2], const: true}
  - {name: q, type: int8, shape: [4]}
  - {name: y, type: int8, shape: [2, 2]}
ops:
  - {op: QuantizeLinear, name: o1, in: [x, s, z], out: [q]}
  - {op: Reshape, name: o2, in: [q, t], out: [y]}
blobs:
  - {name: s, values: [0.5]}
  - {name: z, values: [3]}
  - {name: t, values: [2, -1]}
)");
}

TEST_CASE("explicit-padding: auto_pad becomes explicit pads") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 3, 8, 8]}
  - {name: w, type: float32, shape: [4, 3, 3, 3], const: true}
  - {name: v, type: float32, shape: [4, 2, 2, 2], const: true}
  - {name: a, type: float32, shape: [1, 4, 4, 4]}
  - {name: b, type: float32, shape: [1, 4, 2, 2]}
  - {name: c, type: float32, shape: [1, 2, 4, 4]}
  - {name: y, type: float32, shape: [1, 2, 4, 4]}
ops:
  - {op: Conv, name: o1, in: [x, w], out: [a], attrs: {auto_pad: SAME_UPPER, strides: [2, 2]}}
  - {op: MaxPool, name: o2, in: [a], out: [b], attrs: {kernel_shape: [3, 3], strides: [2, 2], ceil_mode: 1}}
  - {op: ConvTranspose, name: o3, in: [b, v], out: [c], attrs: {strides: [2, 2], output_shape: [4, 4]}}
  - {op: AveragePool, name: o4, in: [c], out: [y], attrs: {kernel_shape: [1, 1], auto_pad: VALID, count_include_pad: 0}}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
  - {name: v, fill: {seed: 2, amplitude: 1.0}}
# CHECK: {op: Conv, name: o1, in: [x, w], out: [a], attrs: {dilations: [1, 1], group: 1, kernel_shape: [3, 3], pads: [0, 0, 1, 1], strides: [2, 2]}}
# CHECK-NEXT: {op: MaxPool, name: o2, in: [a], out: [b], attrs: {dilations: [1, 1], kernel_shape: [3, 3], pads: [0, 0, 1, 1], strides: [2, 2]}}
# CHECK-NEXT: {op: ConvTranspose, {{.*}} attrs: {dilations: [1, 1], group: 1, kernel_shape: [2, 2], output_padding: [0, 0], pads: [0, 0, 0, 0], strides: [2, 2]}}
# CHECK-NEXT: {op: AveragePool, {{.*}} attrs: {dilations: [1, 1], kernel_shape: [1, 1], pads: [0, 0, 0, 0], strides: [1, 1]}}
)";
  checkSameValues(parseGraph(yaml), checkPass("explicit-padding", yaml));
}

TEST_CASE("constant-fold: what takes long to compute or much room is left alone") {
  checkUnchanged("constant-fold", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1]}
  - {name: w, type: float32, shape: [2048, 2048], const: true}
  - {name: s, type: int64, shape: [1], const: true}
  - {name: p, type: float32, shape: [2048, 2048]}
  - {name: c, type: float32, shape: [268435456]}
  - {name: r, type: float32, shape: []}
  - {name: t, type: float32, shape: [2048, 2048]}
  - {name: y, type: float32, shape: [2048, 2048]}
ops:
  - {op: MatMul, name: o1, in: [w, w], out: [p]}
  - {op: ConstantOfShape, name: o2, in: [s], out: [c]}
  - {op: ReduceSum, name: o3, in: [c], out: [r], attrs: {keepdims: 0}}
  - {op: Add, name: o4, in: [p, r], out: [t]}
  - {op: Add, name: o5, in: [t, x], out: ["y"]}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
  - {name: s, values: [268435456]}
)");
}

TEST_CASE("repeat-to-gather: a table of any size is not made") {
  const char* const yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 3]}
  - {name: y, type: float32, shape: [1, 805306368]}
ops:
  - {op: Tile, name: o, in: [x], out: ["y"], attrs: {repeats: [1, 268435456]}}
)";
  checkUnchanged("repeat-to-gather", yaml);
  Graph graph = parseGraph(yaml);
  DiagnosticEngine diagnostics;
  CHECK_FALSE(finishNormalization(graph, diagnostics));
  CHECK(diagnostics.all().front().message.find("requires an index table larger than") !=
        std::string::npos);
}

TEST_CASE("explicit-padding: counted padding keeps ceil_mode") {
  checkPass("explicit-padding", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 1, 4, 4]}
  - {name: y, type: float32, shape: [1, 1, 2, 2]}
ops:
  - {op: AveragePool, name: o, in: [x], out: [y], attrs: {kernel_shape: [3, 3], strides: [2, 2], ceil_mode: 1, count_include_pad: 1}}
# CHECK: {op: AveragePool, {{.*}} attrs: {ceil_mode: 1, count_include_pad: 1, dilations: [1, 1], kernel_shape: [3, 3], pads: [0, 0, 0, 0], strides: [2, 2]}}
)");
}

TEST_CASE("common-subexpression: repeated dequantization with copied scales becomes one") {
  checkPass("common-subexpression", R"(
inputs: [{name: q}]
outputs: [{name: y}]
tensors:
  - {name: q, type: int8, shape: [4]}
  - {name: s, type: float32, shape: [], const: true}
  - {name: t, type: float32, shape: [], const: true}
  - {name: u, type: float32, shape: [], const: true}
  - {name: a, type: float32, shape: [4]}
  - {name: b, type: float32, shape: [4]}
  - {name: c, type: float32, shape: [4]}
  - {name: d, type: float32, shape: [4]}
  - {name: y, type: float32, shape: [4]}
ops:
  - {op: DequantizeLinear, name: o1, in: [q, s], out: [a], origin: [n1]}
  - {op: DequantizeLinear, name: o2, in: [q, t], out: [b], origin: [n2]}
  - {op: DequantizeLinear, name: o3, in: [q, u], out: [c]}
  - {op: Add, name: o4, in: [a, b], out: [d]}
  - {op: Add, name: o5, in: [c, d], out: [y]}
blobs:
  - {name: s, values: [0.5]}
  - {name: t, values: [0.5]}
  - {name: u, values: [0.25]}
# CHECK: ops:
# CHECK-NEXT: {op: DequantizeLinear, name: o1, in: [q, s], out: [a], origin: [n1, n2]}
# CHECK-NEXT: {op: DequantizeLinear, name: o3, in: [q, u], out: [c]}
# CHECK-NEXT: {op: Add, name: o4, in: [a, a], out: [d]}
)");
}

TEST_CASE("common-subexpression: equal bytes with other scales are other numbers") {
  checkPass("common-subexpression", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1]}
  - {name: v, type: int8, shape: [], quant: {scale: 4.0, zero_point: -128}, const: true}
  - {name: w, type: int8, shape: [], quant: {scale: 1.0, zero_point: -128}, const: true}
  - {name: u, type: int8, shape: [], quant: {scale: 4.0, zero_point: -128}, const: true}
  - {name: a, type: float32, shape: []}
  - {name: b, type: float32, shape: []}
  - {name: c, type: float32, shape: []}
  - {name: d, type: float32, shape: [1]}
  - {name: e, type: float32, shape: [1]}
  - {name: y, type: float32, shape: [1]}
ops:
  - {op: DequantizeLinear, name: o1, in: [v], out: [a]}
  - {op: DequantizeLinear, name: o2, in: [w], out: [b]}
  - {op: DequantizeLinear, name: o3, in: [u], out: [c]}
  - {op: Mul, name: o4, in: [x, a], out: [d]}
  - {op: Add, name: o5, in: [d, b], out: [e]}
  - {op: Mul, name: o6, in: [e, c], out: [y]}
blobs:
  - {name: v, values: [127]}
  - {name: w, values: [127]}
  - {name: u, values: [127]}
# CHECK: {op: Mul, name: o4, in: [x, a], out: [d]}
# CHECK: {op: Add, name: o5, in: [d, b], out: [e]}
# CHECK: {op: Mul, name: o6, in: [e, a], out: ["y"]}
)");
}

TEST_CASE("dead-code: unread operators, constants and optional results go") {
  const Graph graph = checkPass("dead-code", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 1, 4, 4]}
  - {name: c, type: float32, shape: [1], const: true}
  - {name: a, type: float32, shape: [1, 1, 4, 4]}
  - {name: b, type: float32, shape: [1, 1, 4, 4]}
  - {name: i, type: int64, shape: [1, 1, 2, 2]}
  - {name: y, type: float32, shape: [1, 1, 2, 2]}
ops:
  - {op: Add, name: o1, in: [x, c], out: [a]}
  - {op: Relu, name: o2, in: [a], out: [b]}
  - {op: MaxPool, name: o3, in: [x], out: [y, i], attrs: {kernel_shape: [2, 2], strides: [2, 2]}}
blobs:
  - {name: c, values: [1.0]}
# CHECK: tensors:
# CHECK-NEXT: name: x
# CHECK-NEXT: name: "y"
# CHECK: {op: MaxPool, name: o3, in: [x], out: ["y"], attrs
)");
  CHECK(graph.order().size() == 1);
}
