// Quantized operators become DequantizeLinear, operator, QuantizeLinear.
#include "ImportTesting.h"

#include <doctest/doctest.h>

using namespace tigris;
using namespace tigris::test;

namespace {

const std::string Scales = "xs = Constant<value_float = 0.5>() ys = Constant<value_float = 0.25>() "
                           "z = Constant<value = int8 {3}>() ";

} // namespace

TEST_CASE("QLinearConv with a scale per channel") {
  const Imported imported = importGraph(
      "g (int8[1,1,4,4] x) => (int8[1,2,4,4] y) {" + Scales +
      "w = Constant<value = int8[2,1,1,1] {5, -6}>() ws = Constant<value = float[2] {0.5, 2.0}>() "
      "wz = Constant<value = int8[2] {0, 0}>() b = Constant<value = int32[2] {7, 8}>() "
      "y = QLinearConv<kernel_shape=[1,1]>(x, xs, z, w, ws, wz, ys, z, b) }");
  const Op& conv = imported.only(OpKind::Conv);
  const Op& bias = imported.graph->op(imported.graph->producer(conv.input(2)));
  CHECK(bias.kind == OpKind::DequantizeLinear);
  CHECK(imported.input(bias, 1).data->values<float>() == std::vector<float>{0.25F, 1.0F});
  CHECK(bias.attrs.getInt("axis", 1) == 0);
  const Op& weights = imported.graph->op(imported.graph->producer(conv.input(1)));
  CHECK(weights.attrs.getInt("axis", 1) == 0);
  CHECK(imported.only(OpKind::QuantizeLinear).name == "QLinearConv_0");
  CHECK(conv.name == "QLinearConv_0_real");
  CHECK(conv.origin == std::vector<std::string>{"QLinearConv_0"});
  CHECK(imported.tensor("y").type == DType::Int8);
}

TEST_CASE("matrix products") {
  CHECK(importGraph("g (int8[1,2] x) => (int8[1,3] y) {" + Scales +
                    "w = Constant<value = int8[2,3] {1, 2, 3, 4, 5, 6}>() "
                    "y = QLinearMatMul(x, xs, z, w, xs, z, ys, z) }")
            .tensor("y")
            .shape == Shape{1, 3});
  const std::string gemm = "g (int8[1,2] x) => (float[1,3] y) {" + Scales +
                           "w = Constant<value = int8[3,2] {1, 2, 3, 4, 5, 6}>() "
                           "c = Constant<value = int32[3] {1, 2, 3}>() "
                           "y = com.microsoft.QGemm<transB=1>(x, xs, z, w, xs, z, c";
  const Imported real = importGraph(gemm + ") }");
  CHECK(real.tensor("y").type == DType::Float32);
  CHECK(real.only(OpKind::Gemm).name == "QGemm_0");
  CHECK(importGraph(gemm + ", ys, z) }").tensor("y").type == DType::Int8);
}

TEST_CASE("element-wise operators, pools and concatenation") {
  const auto kindsOf = [](const std::string& node) {
    const Imported imported = importGraph("g (int8[1,2,4,4] x) => (int8[1,2,4,4] y) {" + Scales +
                                          "y = com.microsoft." + node + "}");
    REQUIRE_MESSAGE(imported.graph, join(imported.messages(), "\n"));
    CHECK(imported.tensor("y").type == DType::Int8);
    std::string kinds = imported.kinds();
    return kinds.substr(kinds.find("Dequantize"));
  };
  const std::string one = "DequantizeLinear ";
  CHECK(kindsOf("QLinearAdd(x, xs, z, x, xs, z, ys, z)") == one + one + "Add QuantizeLinear");
  CHECK(kindsOf("QLinearMul(x, xs, z, x, xs, z, ys, z)") == one + one + "Mul QuantizeLinear");
  CHECK(kindsOf("QLinearSigmoid(x, xs, z, ys, z)") == one + "Sigmoid QuantizeLinear");
  CHECK(kindsOf("QLinearLeakyRelu<alpha=0.1>(x, xs, z, ys, z)") ==
        one + "LeakyRelu QuantizeLinear");
  CHECK(kindsOf("QLinearGlobalAveragePool<channels_last=0>(x, xs, z, ys, z)") ==
        one + "GlobalAveragePool QuantizeLinear");
  CHECK(kindsOf("QLinearAveragePool<kernel_shape=[2,2]>(x, xs, z, ys, z)") ==
        one + "AveragePool QuantizeLinear");
  CHECK(kindsOf("QLinearConcat<axis=1>(ys, z, x, xs, z, x, xs, z)") ==
        one + one + "Concat QuantizeLinear");
  CHECK(kindsOf("QLinearSoftmax<axis=-1, opset=13>(x, xs, z, ys, z)") ==
        one + "Softmax QuantizeLinear");
  CHECK(kindsOf("QLinearSoftmax<axis=1, opset=12>(x, xs, z, ys, z)") ==
        one + "Flatten Softmax Reshape QuantizeLinear");
}

TEST_CASE("what cannot be lowered is refused") {
  CHECK(
      importGraph("g (int8[1,2,4,4] x) => (int8[1,2,1,1] y) {" + Scales +
                  "y = com.microsoft.QLinearGlobalAveragePool<channels_last=1>(x, xs, z, ys, z) }")
          .said(DiagId::UnsupportedOp, "channels_last = 1"));
  CHECK(importGraph("g (float[2] x) => (float[2] y) { y, s, z = DynamicQuantizeLinear(x) }")
            .said(DiagId::UnsupportedOp, "quantize the model statically"));
}
