// Quantized arithmetic from QuantizeLinear and DequantizeLinear: qdq-move, qdq-fold and
// quant-interface.
#include "PassTesting.h"

#include <doctest/doctest.h>

using namespace tigris;

TEST_CASE("qdq-move: quantization rises above clamps and movement") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: q}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 2, 2]}
  - {name: t, type: float32, shape: [1, 2, 2, 2]}
  - {name: r, type: float32, shape: [1, 2, 2, 2]}
  - {name: f, type: float32, shape: [1, 8]}
  - {name: q, type: int8, shape: [1, 8], quant: {scale: 0.01, zero_point: -128}}
ops:
  - {op: Tanh, name: tanh, in: [x], out: [t]}
  - {op: Relu, name: relu, in: [t], out: [r]}
  - {op: Flatten, name: flat, in: [r], out: [f], attrs: {axis: 1}}
  - {op: QuantizeLinear, name: quant, in: [f], out: [q]}
# CHECK: ops:
# CHECK-NEXT: {op: Tanh, name: tanh
# CHECK-NEXT: {op: QuantizeLinear, {{.*}} in: [t]
# CHECK-NEXT: {op: Relu, name: relu
# CHECK-NEXT: {op: Flatten, name: flat, {{.*}} out: [q]
)";
  checkPass("qdq-move", yaml);
}

TEST_CASE("qdq-move: bounds that are operands keep their type") {
  // Only static-args makes them attributes, which have none.
  checkUnchanged("qdq-move", R"(
inputs: [{name: x}]
outputs: [{name: q}]
tensors:
  - {name: x, type: float32, shape: [4]}
  - {name: lo, type: float32, shape: [], const: true}
  - {name: t, type: float32, shape: [4]}
  - {name: c, type: float32, shape: [4]}
  - {name: q, type: int8, shape: [4], quant: {scale: 0.01, zero_point: -128}}
ops:
  - {op: Tanh, name: tanh, in: [x], out: [t]}
  - {op: Clip, name: clip, in: [t, lo], out: [c]}
  - {op: QuantizeLinear, name: quant, in: [c], out: [q]}
blobs:
  - {name: lo, values: [0.25]}
)");
}

TEST_CASE("qdq-move: dequantization sinks, also with a per-channel axis through Transpose") {
  checkPass("qdq-move", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 3]}
  - {name: w, type: int8, shape: [2, 3], quant: {axis: 0, scale: [0.5, 0.25], zero_point: [0, 0]}, const: true}
  - {name: d, type: float32, shape: [2, 3]}
  - {name: t, type: float32, shape: [3, 2]}
  - {name: y, type: float32, shape: [1, 2]}
ops:
  - {op: DequantizeLinear, name: o1, in: [w], out: [d]}
  - {op: Transpose, name: o2, in: [d], out: [t], attrs: {perm: [1, 0]}}
  - {op: MatMul, name: o3, in: [x, t], out: [y]}
blobs:
  - {name: w, values: [1, 2, 3, 4, 5, 6]}
# CHECK: {name: t_q, type: int8, shape: [3, 2], quant: {axis: 1, scale: [0.5, 0.25]
# CHECK: {op: Transpose, name: o2, in: [w], out: [t_q]
# CHECK: {op: DequantizeLinear, {{.*}} in: [t_q], out: [t]
)");
}

TEST_CASE("qdq-move: leaves a value alone that is also needed unquantized") {
  checkUnchanged("qdq-move", R"(
inputs: [{name: x}]
outputs: [{name: q}, {name: r}]
tensors:
  - {name: x, type: float32, shape: [4]}
  - {name: r, type: float32, shape: [4]}
  - {name: q, type: int8, shape: [4], quant: {scale: 0.01, zero_point: -128}}
ops:
  - {op: Relu, name: relu, in: [x], out: [r]}
  - {op: QuantizeLinear, name: quant, in: [r], out: [q]}
)");
}

namespace {

/// A convolution with weight zero points and a bias of 1 and -0.2, in a graph with this rounding.
std::string biasedConv(const std::string& rounding, const std::string& checks) {
  return strCat("\n", rounding, R"(inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [1, 1, 2, 2], quant: {scale: 0.5, zero_point: 1}}
  - {name: w, type: int8, shape: [2, 1, 1, 1], quant: {scale: 0.25, zero_point: 7}, const: true}
  - {name: b, type: float32, shape: [2], const: true}
  - {name: xd, type: float32, shape: [1, 1, 2, 2]}
  - {name: wd, type: float32, shape: [2, 1, 1, 1]}
  - {name: c, type: float32, shape: [1, 2, 2, 2]}
  - {name: y, type: int8, shape: [1, 2, 2, 2], quant: {scale: 0.1, zero_point: -3}}
ops:
  - {op: DequantizeLinear, name: dx, in: [x], out: [xd]}
  - {op: DequantizeLinear, name: dw, in: [w], out: [wd]}
  - {op: Conv, name: conv, in: [xd, wd, b], out: [c], attrs: {kernel_shape: [1, 1]}}
  - {op: QuantizeLinear, name: qy, in: [c], out: [y]}
blobs:
  - {name: w, values: [1, 2]}
  - {name: b, values: [1.0, -0.2]}
)",
                checks);
}

} // namespace

TEST_CASE("qdq-fold: a float bias between integers stays where results are rounded once") {
  checkPass("qdq-fold", biasedConv("", R"(
# CHECK: {name: w, type: int8, {{.*}} quant: {scale: 0.25, zero_point: 7}, const: true}
# CHECK: {name: b, type: float32, shape: [2], const: true}
# CHECK: ops:
# CHECK-NEXT: {op: Conv, name: conv, in: [x, w, b], out: ["y"]
# CHECK-NOT: Linear
)"));
}

TEST_CASE("qdq-fold: a float bias is rounded where results are rounded twice") {
  checkPass("qdq-fold", biasedConv("rounding: twice\n", R"(
# CHECK: {name: b_s32, type: int32, shape: [2], quant: {scale: 0.125}, const: true}
# CHECK: ops:
# CHECK-NEXT: {op: Conv, name: conv, in: [x, w, b_s32], out: ["y"]
# CHECK-NOT: Linear
# CHECK: {name: b_s32, values: [8, -2]}
)"));
}

TEST_CASE("qdq-fold: neighbors cancel or become Requantize") {
  checkPass("qdq-fold", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [4]}
  - {name: a, type: int8, shape: [4], quant: {scale: 0.5}}
  - {name: ad, type: float32, shape: [4]}
  - {name: b, type: int8, shape: [4], quant: {scale: 0.5}}
  - {name: bd, type: float32, shape: [4]}
  - {name: y, type: int8, shape: [4], quant: {scale: 0.25}}
ops:
  - {op: QuantizeLinear, name: o1, in: [x], out: [a]}
  - {op: DequantizeLinear, name: o2, in: [a], out: [ad]}
  - {op: QuantizeLinear, name: o3, in: [ad], out: [b]}
  - {op: DequantizeLinear, name: o4, in: [b], out: [bd]}
  - {op: QuantizeLinear, name: o5, in: [bd], out: [y]}
# CHECK: ops:
# CHECK-NEXT: {op: QuantizeLinear, name: o1, in: [x], out: [a]}
# CHECK-NEXT: {op: Requantize, name: o5, in: [a], out: ["y"]}
# CHECK-NOT: Dequantize
)");
}

TEST_CASE("qdq-fold: what is not quantized on all sides stays in float") {
  checkUnchanged("qdq-fold", R"(
inputs: [{name: x}, {name: f}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [4], quant: {scale: 0.5}}
  - {name: f, type: float32, shape: [4]}
  - {name: xd, type: float32, shape: [4]}
  - {name: s, type: float32, shape: [4]}
  - {name: y, type: int8, shape: [4], quant: {scale: 0.5}}
ops:
  - {op: DequantizeLinear, name: o1, in: [x], out: [xd]}
  - {op: Add, name: o2, in: [xd, f], out: [s]}
  - {op: QuantizeLinear, name: o3, in: [s], out: [y]}
)");
  // The fixed-point softmax writes scale 1/256 and zero point -128; other scales would be wrong.
  checkUnchanged("qdq-fold", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [1, 4], quant: {scale: 0.5}}
  - {name: xd, type: float32, shape: [1, 4]}
  - {name: s, type: float32, shape: [1, 4]}
  - {name: y, type: int8, shape: [1, 4], quant: {scale: 0.004, zero_point: -128}}
ops:
  - {op: DequantizeLinear, name: o1, in: [x], out: [xd]}
  - {op: Softmax, name: o2, in: [xd], out: [s]}
  - {op: QuantizeLinear, name: o3, in: [s], out: [y]}
)");
}

TEST_CASE("qdq-fold: a product of two computed tensors") {
  checkPass("qdq-fold", R"(
inputs: [{name: a}, {name: b}]
outputs: [{name: y}]
tensors:
  - {name: a, type: int8, shape: [2, 3, 4], quant: {scale: 0.5, zero_point: 1}}
  - {name: b, type: int8, shape: [4, 5], quant: {scale: 0.25, zero_point: -2}}
  - {name: ad, type: float32, shape: [2, 3, 4]}
  - {name: bd, type: float32, shape: [4, 5]}
  - {name: m, type: float32, shape: [2, 3, 5]}
  - {name: y, type: int8, shape: [2, 3, 5], quant: {scale: 2}}
ops:
  - {op: DequantizeLinear, name: o1, in: [a], out: [ad]}
  - {op: DequantizeLinear, name: o2, in: [b], out: [bd]}
  - {op: MatMul, name: o3, in: [ad, bd], out: [m]}
  - {op: QuantizeLinear, name: o4, in: [m], out: [y]}
# CHECK: ops:
# CHECK-NEXT: {op: MatMul, name: o3, in: [a, b], out: ["y"]}
# CHECK-NOT: Linear
)");
}

TEST_CASE("qdq-fold, qdq-move: searches and choices see the integers") {
  checkPass("qdq-fold", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [4], quant: {scale: 0.5}}
  - {name: xd, type: float32, shape: [4]}
  - {name: y, type: int64, shape: [1]}
ops:
  - {op: DequantizeLinear, name: o1, in: [x], out: [xd]}
  - {op: ArgMax, name: o2, in: [xd], out: [y], attrs: {axis: 0, keepdims: 1}}
# CHECK: ops:
# CHECK-NEXT: {op: ArgMax, name: o2, in: [x]
# CHECK-NOT: Linear
)");
  checkPass("qdq-move", R"(
inputs: [{name: x}]
outputs: [{name: v}, {name: i}]
tensors:
  - {name: x, type: int8, shape: [4], quant: {scale: 0.5}}
  - {name: xd, type: float32, shape: [4]}
  - {name: v, type: float32, shape: [2]}
  - {name: i, type: int64, shape: [2]}
ops:
  - {op: DequantizeLinear, name: o1, in: [x], out: [xd]}
  - {op: TopK, name: o2, in: [xd], out: [v, i], attrs: {K: 2, axis: 0}}
# CHECK: ops:
# CHECK-NEXT: {op: TopK, name: o2, in: [x], out: [v_q, i]
# CHECK-NEXT: {op: DequantizeLinear, {{.*}} in: [v_q], out: [v]
)");
  checkPass("qdq-move", R"(
inputs: [{name: c}, {name: a}, {name: b}]
outputs: [{name: y}]
tensors:
  - {name: c, type: bool, shape: [4]}
  - {name: a, type: float32, shape: [4]}
  - {name: b, type: float32, shape: [4]}
  - {name: w, type: float32, shape: [4]}
  - {name: y, type: int8, shape: [4], quant: {scale: 0.5}}
ops:
  - {op: Where, name: o1, in: [c, a, b], out: [w]}
  - {op: QuantizeLinear, name: o2, in: [w], out: [y]}
# CHECK: ops:
# CHECK-NEXT: {op: QuantizeLinear, {{.*}} in: [a]
# CHECK-NEXT: {op: QuantizeLinear, {{.*}} in: [b]
# CHECK-NEXT: {op: Where, name: o1, in: [c, {{.*}}, {{.*}}], out: ["y"]
)");
}

TEST_CASE("quant-interface: ports keep their type, the tensors behind them are int8") {
  checkPass("quant-interface", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [4]}
  - {name: xq, type: int8, shape: [4], quant: {scale: 0.5, zero_point: 1}}
  - {name: r, type: int8, shape: [4], quant: {scale: 0.5, zero_point: 1}}
  - {name: y, type: float32, shape: [4]}
ops:
  - {op: QuantizeLinear, name: o1, in: [x], out: [xq]}
  - {op: Relu, name: o2, in: [xq], out: [r]}
  - {op: DequantizeLinear, name: o3, in: [r], out: [y]}
# CHECK: inputs:
# CHECK-NEXT: {name: x, type: float32}
# CHECK: outputs:
# CHECK-NEXT: {name: "y", tensor: r, type: float32}
# CHECK: {name: x, type: int8, shape: [4], quant: {scale: 0.5, zero_point: 1}}
# CHECK: ops:
# CHECK-NEXT: {op: Relu, name: o2, in: [x], out: [r]}
# CHECK-NOT: Linear
)");
}

TEST_CASE("quantization: 16-bit activations fold with 8-bit weights, unsigned ones become signed") {
  checkPass("quant-annotate,qdq-move,qdq-fold", R"(
inputs: [{name: x}]
outputs: [{name: z}]
tensors:
  - {name: x, type: float32, shape: [1, 2]}
  - {name: xs, type: float32, shape: [], const: true}
  - {name: xz, type: uint16, shape: [], const: true}
  - {name: q, type: uint16, shape: [1, 2]}
  - {name: d, type: float32, shape: [1, 2]}
  - {name: w, type: int8, shape: [3, 2], quant: {scale: 0.5, zero_point: 0}, const: true}
  - {name: wr, type: float32, shape: [3, 2]}
  - {name: "y", type: float32, shape: [1, 3]}
  - {name: yq, type: int16, shape: [1, 3], quant: {scale: 0.25, zero_point: 5}}
  - {name: yr, type: float32, shape: [1, 3]}
  - {name: p, type: float32, shape: [1, 3]}
  - {name: pq, type: int16, shape: [1, 3], quant: {scale: 0.25, zero_point: 0}}
  - {name: pr, type: float32, shape: [1, 3]}
  - {name: s, type: float32, shape: [1, 3]}
  - {name: z, type: int8, shape: [1, 3], quant: {scale: 0.25, zero_point: 0}}
ops:
  - {op: QuantizeLinear, name: o1, in: [x, xs, xz], out: [q]}
  - {op: DequantizeLinear, name: o2, in: [q, xs, xz], out: [d]}
  - {op: DequantizeLinear, name: o3, in: [w], out: [wr]}
  - {op: Gemm, name: o4, in: [d, wr], out: ["y"], attrs: {transB: 1}}
  - {op: QuantizeLinear, name: o5, in: ["y"], out: [yq]}
  - {op: DequantizeLinear, name: o6, in: [yq], out: [yr]}
  - {op: Tanh, name: o7, in: [yr], out: [p]}
  - {op: QuantizeLinear, name: o8, in: [p], out: [pq]}
  - {op: DequantizeLinear, name: o9, in: [pq], out: [pr]}
  - {op: Neg, name: o10, in: [pr], out: [s]}
  - {op: QuantizeLinear, name: o11, in: [s], out: [z]}
blobs:
  - {name: xs, values: [0.125]}
  - {name: xz, values: [32760]}
  - {name: w, values: [1, 2, 3, 4, 5, 6]}
# CHECK: {name: q, type: int16, {{.*}}quant: {scale: 0.125, zero_point: -8}
# CHECK: {op: QuantizeLinear, name: o1, in: [x], out: [q]}
# CHECK: {op: Gemm, name: o4, in: [q, w], out: [yq]
# CHECK: {op: Tanh, name: o7, in: [yq], out: [pq]}
# CHECK: {op: DequantizeLinear, name: o9, in: [pq]
# CHECK: {op: Neg, name: o10
)");
}
