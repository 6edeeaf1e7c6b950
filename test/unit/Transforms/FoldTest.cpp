// Passes that fold operators into weights, padding, activations and shapes.
#include "PassTesting.h"

#include <doctest/doctest.h>

using namespace tigris;

TEST_CASE("batch-norm-fold: into the Gemm before it") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2, 3]}
  - {name: w, type: float32, shape: [4, 3], const: true}
  - {name: b, type: float32, shape: [4], const: true}
  - {name: gamma, type: float32, shape: [4], const: true}
  - {name: beta, type: float32, shape: [4], const: true}
  - {name: mean, type: float32, shape: [4], const: true}
  - {name: var, type: float32, shape: [4], const: true}
  - {name: t, type: float32, shape: [2, 4]}
  - {name: y, type: float32, shape: [2, 4]}
ops:
  - {op: Gemm, name: o1, in: [x, w, b], out: [t], attrs: {transB: 1}, origin: [n1]}
  - {op: BatchNormalization, name: o2, in: [t, gamma, beta, mean, var], out: [y], attrs: {epsilon: 0.01}, origin: [n2]}
blobs:
  - {name: w, values: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, -1.0, -2.0, -3.0]}
  - {name: b, values: [0.5, 0.0, -0.5, 1.0]}
  - {name: gamma, values: [1.0, 2.0, 0.5, -1.0]}
  - {name: beta, values: [0.0, 1.0, 2.0, 3.0]}
  - {name: mean, values: [0.1, 0.2, 0.3, 0.4]}
  - {name: var, values: [1.0, 4.0, 0.25, 0.0]}
# CHECK: ops:
# CHECK-NEXT: {op: Gemm, name: o1, in: [x, w_1, b_1], out: ["y"], attrs: {transB: 1}, origin: [n1, n2]}
# CHECK-NOT: Batch
)";
  checkSameValues(parseGraph(yaml), checkPass("batch-norm-fold", yaml));
}

TEST_CASE("batch-norm-fold: into convolutions, per output channel") {
  // w[o][i] = 1 and a[o] = gamma[o] exactly (variance + epsilon = 1), so the weights show which
  // channel scaled them: ConvTranspose stores outputs second, and restarts them for every group.
  const Graph conv = checkPass("batch-norm-fold", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 2, 2]}
  - {name: w, type: float32, shape: [3, 2, 1, 1], const: true}
  - {name: gamma, type: float32, shape: [3], const: true}
  - {name: beta, type: float32, shape: [3], const: true}
  - {name: mean, type: float32, shape: [3], const: true}
  - {name: var, type: float32, shape: [3], const: true}
  - {name: t, type: float32, shape: [1, 3, 2, 2]}
  - {name: y, type: float32, shape: [1, 3, 2, 2]}
ops:
  - {op: Conv, name: o1, in: [x, w], out: [t]}
  - {op: BatchNormalization, name: o2, in: [t, gamma, beta, mean, var], out: [y], attrs: {epsilon: 0.0}}
blobs:
  - {name: w, values: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}
  - {name: gamma, values: [2.0, 3.0, 4.0]}
  - {name: beta, values: [10.0, 20.0, 30.0]}
  - {name: mean, values: [1.0, 1.0, 1.0]}
  - {name: var, values: [1.0, 1.0, 1.0]}
# CHECK: {op: Conv, name: o1, in: [x, w_1, o1.bias], out: ["y"]}
# CHECK: {name: w_1, values: [2.0, 2.0, 3.0, 3.0, 4.0, 4.0]}
# CHECK: {name: o1.bias, values: [8.0, 17.0, 26.0]}
)");
  CHECK(conv.order().size() == 1);
  checkPass("batch-norm-fold", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 4, 2, 2]}
  - {name: w, type: float32, shape: [4, 2, 1, 1], const: true}
  - {name: gamma, type: float32, shape: [4], const: true}
  - {name: zero, type: float32, shape: [4], const: true}
  - {name: var, type: float32, shape: [4], const: true}
  - {name: t, type: float32, shape: [1, 4, 2, 2]}
  - {name: y, type: float32, shape: [1, 4, 2, 2]}
ops:
  - {op: ConvTranspose, name: o1, in: [x, w], out: [t], attrs: {group: 2}}
  - {op: BatchNormalization, name: o2, in: [t, gamma, zero, zero, var], out: [y], attrs: {epsilon: 0.0}}
blobs:
  - {name: w, values: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}
  - {name: gamma, values: [2.0, 3.0, 4.0, 5.0]}
  - {name: zero, values: [0.0, 0.0, 0.0, 0.0]}
  - {name: var, values: [1.0, 1.0, 1.0, 1.0]}
# CHECK: {name: w_1, values: [2.0, 3.0, 2.0, 3.0, 4.0, 5.0, 4.0, 5.0]}
)");
}

TEST_CASE("batch-norm-fold: alone it is one scale and one bias") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}, {name: z}]
tensors:
  - {name: x, type: float32, shape: [2, 2]}
  - {name: p, type: float32, shape: [2], const: true}
  - {name: t, type: float32, shape: [2, 2]}
  - {name: y, type: float32, shape: [2, 2]}
  - {name: z, type: float32, shape: [2, 2]}
ops:
  - {op: Tanh, name: o1, in: [x], out: [t]}
  - {op: BatchNormalization, name: o2, in: [t, p, p, p, p], out: [y]}
  - {op: Neg, name: o3, in: [t], out: [z]}
blobs:
  - {name: p, values: [1.0, 4.0]}
# CHECK: {op: BatchNorm, name: o2, in: [t, o2.scale, o2.bias], out: ["y"]}
)";
  checkSameValues(parseGraph(yaml), checkPass("batch-norm-fold", yaml));
}

TEST_CASE("pad-fold: zeros around positions become the convolution's padding") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 4, 4]}
  - {name: w, type: float32, shape: [2, 2, 3, 3], const: true}
  - {name: t, type: float32, shape: [1, 2, 5, 7]}
  - {name: y, type: float32, shape: [1, 2, 4, 5]}
ops:
  - {op: Pad, name: o1, in: [x], out: [t], attrs: {pads: [0, 0, 0, 1, 0, 0, 1, 2]}}
  - {op: Conv, name: o2, in: [t, w], out: [y], attrs: {pads: [1, 0, 0, 0]}}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
# CHECK: ops:
# CHECK-NEXT: {op: Conv, name: o2, in: [x, w], out: ["y"], attrs: {pads: [1, 1, 1, 2]}}
)";
  checkSameValues(parseGraph(yaml), checkPass("pad-fold", yaml));
  std::string other(yaml);
  other.insert(other.find("pads: [0, 0, 0"), "value: 1.0, ");
  checkUnchanged("pad-fold", other);
}

TEST_CASE("pad-fold: an average keeps something to average in every window") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 1, 5, 3]}
  - {name: t, type: float32, shape: [1, 1, 8, 5]}
  - {name: y, type: float32, shape: [1, 1, 7, 5]}
ops:
  - {op: Pad, name: o1, in: [x], out: [t], attrs: {pads: [0, 0, 2, 1, 0, 0, 1, 1]}}
  - {op: AveragePool, name: o2, in: [t], out: [y], attrs: {count_include_pad: 1, dilations: [1, 1], kernel_shape: [2, 3], pads: [0, 1, 0, 1], strides: [1, 1]}}
)";
  checkUnchanged("pad-fold", yaml);
}

TEST_CASE("activation-fuse: clamps join the operator before them") {
  checkPass("activation-fuse", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 1, 4, 4]}
  - {name: w, type: float32, shape: [1, 1, 1, 1], const: true}
  - {name: a, type: float32, shape: [1, 1, 4, 4]}
  - {name: b, type: float32, shape: [1, 1, 4, 4]}
  - {name: c, type: float32, shape: [1, 1, 4, 4]}
  - {name: d, type: float32, shape: [1, 1, 4, 4]}
  - {name: e, type: float32, shape: [1, 1, 4, 4]}
  - {name: y, type: float32, shape: [1, 1, 4, 4]}
ops:
  - {op: Conv, name: o1, in: [x, w], out: [a], origin: [n1]}
  - {op: Relu, name: o2, in: [a], out: [b], origin: [n2]}
  - {op: Add, name: o3, in: [b, b], out: [c]}
  - {op: Clip, name: o4, in: [c], out: [d], attrs: {min: -1.0}}
  - {op: Sigmoid, name: o5, in: [d], out: [e]}
  - {op: Relu6, name: o6, in: [e], out: [y]}
blobs:
  - {name: w, values: [1.0]}
# CHECK: ops:
# CHECK-NEXT: {op: Conv, name: o1, in: [x, w], out: [b], act: Relu, origin: [n1, n2]}
# CHECK-NEXT: {op: Add, name: o3, in: [b, b], out: [d], attrs: {act_min: -1.0}, act: Clip}
# CHECK-NEXT: {op: Sigmoid
# CHECK-NEXT: {op: Relu6
)");
}

TEST_CASE("activation-fuse: not when others read the value, nor across a change of scale") {
  checkUnchanged("activation-fuse", R"(
inputs: [{name: x}]
outputs: [{name: y}, {name: a}]
tensors:
  - {name: x, type: int8, shape: [4], quant: {scale: 0.5}}
  - {name: a, type: int8, shape: [4], quant: {scale: 0.5}}
  - {name: b, type: int8, shape: [4], quant: {scale: 0.5}}
  - {name: c, type: int8, shape: [4], quant: {scale: 0.5}}
  - {name: y, type: int8, shape: [4], quant: {scale: 0.25, zero_point: -128}}
ops:
  - {op: Add, name: o1, in: [x, x], out: [a]}
  - {op: Relu, name: o2, in: [a], out: [b]}
  - {op: Add, name: o3, in: [b, b], out: [c]}
  - {op: Relu, name: o4, in: [c], out: [y]}
)");
}

TEST_CASE("shape-fold: all reshapes become one with a static target") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2, 3, 4]}
  - {name: t, type: int64, shape: [2], const: true}
  - {name: axes, type: int64, shape: [1], const: true}
  - {name: a, type: float32, shape: [2, 12]}
  - {name: b, type: float32, shape: [2, 12, 1]}
  - {name: c, type: float32, shape: [24, 1]}
  - {name: d, type: float32, shape: [24]}
  - {name: e, type: float32, shape: [24]}
  - {name: y, type: float32, shape: [24]}
ops:
  - {op: Reshape, name: o1, in: [x, t], out: [a], origin: [n1]}
  - {op: Unsqueeze, name: o2, in: [a, axes], out: [b]}
  - {op: Flatten, name: o3, in: [b], out: [c], attrs: {axis: 2}}
  - {op: Squeeze, name: o4, in: [c], out: [d], attrs: {axes: [1]}}
  - {op: Reshape, name: o5, in: [d], out: [e], attrs: {shape: [-1]}}
  - {op: Relu, name: o6, in: [e], out: [y]}
blobs:
  - {name: t, values: [0, -1]}
  - {name: axes, values: [2]}
# CHECK: {op: Reshape, name: o5, in: [x], out: [e], attrs: {shape: [24]}, origin: [n1]}
# CHECK-NEXT: {op: Relu, name: o6, in: [e], out: ["y"]}
)";
  checkSameValues(parseGraph(yaml), checkPass("shape-fold,dead-code", yaml));
}

TEST_CASE("resize-scale-extract: scales for all axes and explicit rules") {
  checkPass("resize-scale-extract", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 4, 4]}
  - {name: sizes, type: int64, shape: [4], const: true}
  - {name: odd, type: int64, shape: [4], const: true}
  - {name: some, type: float32, shape: [2], const: true}
  - {name: a, type: float32, shape: [1, 2, 8, 12]}
  - {name: b, type: float32, shape: [1, 2, 12, 18]}
  - {name: y, type: float32, shape: [1, 2, 5, 7]}
ops:
  - {op: Resize, name: o1, in: [x, null, null, sizes], out: [a]}
  - {op: Resize, name: o2, in: [a, null, some], out: [b], attrs: {axes: [-2, 3], mode: linear, coordinate_transformation_mode: asymmetric}}
  - {op: Resize, name: o3, in: [b, null, null, odd], out: [y], attrs: {mode: cubic}}
blobs:
  - {name: sizes, values: [1, 2, 8, 12]}
  - {name: odd, values: [1, 2, 5, 7]}
  - {name: some, values: [1.5, 1.5]}
# CHECK: {op: Resize, name: o1, in: [x], out: [a], attrs: {coordinate_transformation_mode: half_pixel, mode: nearest, nearest_mode: round_prefer_floor, scales: [1.0, 1.0, 2.0, 3.0]}}
# CHECK-NEXT: {op: Resize, name: o2, in: [a], out: [b], attrs: {coordinate_transformation_mode: asymmetric, mode: linear, scales: [1.0, 1.0, 1.5, 1.5]}}
# CHECK-NEXT: {op: Resize, name: o3, in: [b], out: ["y"], attrs: {coordinate_transformation_mode: half_pixel, cubic_coeff_a: -0.75, mode: cubic, sizes: [1, 2, 5, 7]}}
)");
}

TEST_CASE("resize-scale-extract: an aspect ratio policy is one scale") {
  checkPass("resize-scale-extract", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 1, 4, 6]}
  - {name: y, type: float32, shape: [1, 1, 8, 12]}
ops:
  - {op: Resize, name: o, in: [x], out: [y], attrs: {sizes: [8, 15], axes: [2, 3], keep_aspect_ratio_policy: not_larger}}
# CHECK: scales: [1.0, 1.0, 2.0, 2.0]
)");
  // 5 * 1.75 is 9 if rounded, and 8 if truncated like results of scales.
  checkFails("resize-scale-extract", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 1, 4, 5]}
  - {name: y, type: float32, shape: [1, 1, 7, 9]}
ops:
  - {op: Resize, name: o, in: [x], out: [y], attrs: {sizes: [7, 7], axes: [2, 3], keep_aspect_ratio_policy: not_smaller}}
)",
             DiagId::UnsupportedOp, "keep_aspect_ratio_policy 'not_smaller'");
}

TEST_CASE(
    "constant-fold: quantized constants that only meet constants are computed as real numbers") {
  checkPass("constant-fold", R"(
inputs: [{name: x}]
outputs: [{name: "y"}, {name: z}, {name: clipped}]
tensors:
  - {name: x, type: float32, shape: [2]}
  - {name: least, type: int8, shape: [], quant: {scale: 0.5, zero_point: 0}, const: true}
  - {name: bound, type: float32, shape: []}
  - {name: clipped, type: float32, shape: [2]}
  - {name: v, type: int8, shape: [2], quant: {scale: 0.5, zero_point: 0}, const: true}
  - {name: g, type: int8, shape: [2], quant: {scale: 2.0, zero_point: 1}, const: true}
  - {name: vr, type: float32, shape: [2]}
  - {name: gr, type: float32, shape: [2]}
  - {name: w, type: float32, shape: [2]}
  - {name: u, type: float32, shape: [2]}
  - {name: "y", type: float32, shape: [2]}
  - {name: z, type: float32, shape: [2]}
ops:
  - {op: DequantizeLinear, name: o1, in: [v], out: [vr]}
  - {op: DequantizeLinear, name: o2, in: [g], out: [gr]}
  - {op: Mul, name: o3, in: [vr, gr], out: [w]}
  - {op: DequantizeLinear, name: o4, in: [v], out: [u]}
  - {op: Add, name: o5, in: [x, w], out: ["y"]}
  - {op: Add, name: o6, in: [x, u], out: [z]}
  - {op: DequantizeLinear, name: o7, in: [least], out: [bound]}
  - {op: Clip, name: o8, in: [x, bound], out: [clipped]}
blobs:
  - {name: least, values: [-3]}
  - {name: v, values: [1, 2]}
  - {name: g, values: [3, 4]}
# CHECK-NOT: o1
# CHECK-NOT: o3
# CHECK: {op: DequantizeLinear, name: o4
# CHECK-NOT: o7
# CHECK: {op: Clip, name: o8
# CHECK: {name: bound, values: [-1.5]}
# CHECK: {name: w, values: [2.0, 6.0]}
)");
}
