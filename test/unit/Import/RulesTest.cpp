// Operators of every opset are converted to the newest opset's form.
#include "ImportTesting.h"

#include <doctest/doctest.h>

using namespace tigris;
using namespace tigris::test;

TEST_CASE("attributes are copied by the schema") {
  onnx::ModelProto model =
      parseOnnxGraph("g (float[1,2,8,8] x) => (float[1,2,4,4] y) "
                     "{ y = Conv<pads=[1,1,1,1], strides=[2,2], group=2>(x, w) }");
  addWeights(model, "w", {2, 1, 3, 3});
  const Imported imported = importModel(model);
  const Op& conv = imported.only(OpKind::Conv);
  CHECK(conv.attrs.getInts("strides") == std::vector<int64_t>{2, 2});
  CHECK(conv.attrs.getInt("group") == 2);
  CHECK(imported.tensor("y").shape == Shape{1, 2, 4, 4});
  CHECK(imported.tensor("w").data->values<float>()[17] == 17.0F / 8);
}

TEST_CASE("attributes that are unknown or of the wrong kind are refused") {
  CHECK(importGraph("g (float[2] x) => (float[2] y) { y = Relu<slope=0.5>(x) }")
            .said(DiagId::BadAttr,
                  "node 'Relu_0' (Relu): attribute 'slope' is not known in opset 17"));
  CHECK(importGraph("g (float[2] x) => (float[2] y) { y = LeakyRelu<alpha=1>(x) }")
            .said(DiagId::BadAttr, "attribute 'alpha' is of kind int, expected float"));
  CHECK(importGraph("g (float[2] x, float[2] z) => (float[2] y) { y = Add<act_min=0.5>(x, z) }")
            .said(DiagId::BadAttr, "'act_min'"));
}

TEST_CASE("Constant in all its forms") {
  const Imported imported = importGraph(R"(g (float[2] x) => (float[2] y) {
      a = Constant<value = float[2] {1.0, 2.0}>()  b = Constant<value_float = 3.0>()
      c = Constant<value_floats = [4.0, 5.0]>()  s = Constant<value_ints = [2]>()
      d = Add(x, a)  e = Add(d, b)  f = Add(e, c)  y = Reshape(f, s) })");
  CHECK(imported.kinds() == "Constant Constant Constant Constant Add Add Add Reshape");
  CHECK(imported.tensor("b").shape == Shape());
  CHECK(imported.tensor("c").shape == Shape{2});
  CHECK(imported.tensor("s").type == DType::Int64);
  CHECK(importGraph(R"(g () => (string y) { y = Constant<value_string = "hi">() })")
            .said(DiagId::UnsupportedType, "its value is text"));
}

TEST_CASE("Clip and Pad carry attributes in old opsets and operands in new ones") {
  Imported imported =
      importGraph("g (float[2] x) => (float[2] y) { y = Clip<min=0.0, max=6.0>(x) }", 7);
  CHECK(imported.only(OpKind::Clip).attrs.getFloat("max") == 6);
  imported = importGraph("g (float[2] x) => (float[2] y) "
                         "{ hi = Constant<value_float = 6.0>() y = Clip(x, , hi) }");
  const Op& clip = imported.only(OpKind::Clip);
  CHECK_FALSE(clip.input(1));
  CHECK(imported.input(clip, 2).name == "hi");
  imported = importGraph(
      "g (float[2] x) => (float[4] y) { y = Pad<mode=\"constant\", pads=[1,1], value=2.0>(x) }", 7);
  CHECK(imported.tensor("y").shape == Shape{4});
  CHECK(imported.only(OpKind::Pad).attrs.getFloat("value") == 2);
}

TEST_CASE("negative pads crop before positive ones pad") {
  Imported imported =
      importGraph("g (float[5,4] x) => (float y) { y = Pad<pads=[-1,2,0,-1], value=2.0>(x) }", 7);
  CHECK(imported.kinds() == "Slice Slice Pad");
  CHECK(imported.only(OpKind::Pad).attrs.getInts("pads") == std::vector<int64_t>{0, 2, 0, 0});
  CHECK(imported.only(OpKind::Pad).attrs.getFloat("value") == 2);
  CHECK(imported.tensor("y").shape == Shape{4, 5});
  imported = importGraph("g (float[5,4] x) => (float y) { p = Constant<value_ints=[1,-2]>() "
                         "a = Constant<value_ints=[-1]>() v = Constant<value_float=3.0>() "
                         "y = Pad(x, p, v, a) }",
                         18);
  CHECK(imported.tensor("y").shape == Shape{5, 3});
  CHECK(imported.input(imported.only(OpKind::Pad), 2).name == "v");
  CHECK(importGraph("g (float[5] x) => (float y) { y = Pad<pads=[-3,-2]>(x) }", 7)
            .said(DiagId::UnsupportedOp, "pads -3 and -2 of axis 0 remove all of its 5 elements"));
}

TEST_CASE("Clip with computed bounds is Max and Min") {
  Imported imported =
      importGraph("g (float[2] x, float[1] lo, float hi) => (float y) { y = Clip(x, lo, hi) }");
  CHECK(imported.kinds() == "Reshape Max Min Identity");
  CHECK(importGraph("g (float[2] x, float hi) => (float y) { y = Clip(x, , hi) }").kinds() ==
        "Min Identity");
  CHECK(importGraph("g (float[2] x, float[2] hi) => (float y) { y = Clip(x, , hi) }")
            .said(DiagId::BadShape, "its bound 'hi' has shape [2], expected a scalar"));
}

TEST_CASE("weights with one scale per block become float constants") {
  const Imported imported = importGraph(
      "g (float[1,4] x) => (float y) { w = Constant<value = int8[4,1] {1, 2, 3, 4}>() "
      "s = Constant<value = float[2,1] {0.5, 2.0}>() z = Constant<value = int8[2,1] {1, -1}>() "
      "r = DequantizeLinear<axis=0, block_size=2>(w, s, z) y = MatMul(x, r) }",
      21);
  const Op& product = imported.only(OpKind::MatMul);
  const OpId producer = imported.graph->producer(product.input(1));
  CHECK(imported.graph->tensor(imported.graph->op(producer).input(0)).data->values<float>()[3] ==
        10);
  CHECK(importGraph("g (int8[4] x) => (float y) { s = Constant<value = float[2] {0.5, 2.0}>() "
                    "y = DequantizeLinear<axis=0, block_size=2>(x, s) }",
                    21)
            .said(DiagId::UnsupportedOp, "input 0 (tensor 'x') is computed at run time"));
  CHECK(importGraph("g (float[1,4] x) => (float y) { w = Constant<value = int8[4] {1, 2, 3, 4}>() "
                    "s = Constant<value = float[3] {0.5, 2.0, 1.0}>() "
                    "y = DequantizeLinear<axis=0, block_size=2>(w, s) }",
                    21)
            .said(DiagId::BadShape, "input 1 has shape [3], blocks of 2 elements need [2]"));
}

TEST_CASE("MatMulNBits unpacks the low bits first") {
  const auto product = [](const std::string& attributes) {
    return importGraph("g (float[1,3] x) => (float y) { q = Constant<value = uint8[2,1,2] "
                       "{33, 3, 159, 8}>() s = Constant<value = float[2] {0.5, 2.0}>() "
                       "y = com.microsoft.MatMulNBits<" +
                       attributes + ">(x, q, s) }");
  };
  const Imported imported = product("K=3, N=2, bits=4, block_size=4");
  const Tensor& weights = imported.input(imported.only(OpKind::MatMul), 1);
  CHECK(weights.shape == Shape{3, 2});
  CHECK(weights.data->values<float>()[0] == -3.5F); // 1
  CHECK(weights.data->values<float>()[2] == -3.0F); // 2
  CHECK(weights.data->values<float>()[1] == 14.0F); // 15
  CHECK(weights.data->values<float>()[3] == 2.0F);  // 9
  CHECK(
      product("K=9, N=2, block_size=4").said(DiagId::BadShape, "input 1 has 4 bytes, expected 12"));
  CHECK(product("K=3, N=2, bits=3")
            .said(DiagId::UnsupportedOp, "'bits' is 3; 2, 4 and 8 are supported"));
}

TEST_CASE("axes as attributes and as operands") {
  CHECK(importGraph("g (float[2,1] x) => (float[2] y) { y = Squeeze<axes=[1]>(x) }", 11)
            .tensor("y")
            .shape == Shape{2});
  CHECK(importGraph("g (float[2,3] x) => (float[2] y) "
                    "{ a = Constant<value_ints = [1]>() y = ReduceMean<keepdims=0>(x, a) }",
                    18)
            .tensor("y")
            .shape == Shape{2});
  CHECK(importGraph("g (float[6] x) => (float[2] y) { y = Slice<starts=[1], ends=[3]>(x) }", 9)
            .tensor("y")
            .shape == Shape{2});
}

TEST_CASE("Softmax over several axes is flattened before opset 13") {
  Imported imported =
      importGraph("g (float[2,3,4] x) => (float[2,3,4] y) { y = Softmax<axis=1>(x) }", 11);
  CHECK(imported.kinds() == "Flatten Softmax Reshape");
  CHECK(imported.tensor("y").shape == Shape{2, 3, 4});
  CHECK(imported.input(imported.only(OpKind::Softmax), 0).shape == Shape{2, 12});
  CHECK(imported.graph->op(imported.graph->order().back()).name == "Softmax_0");

  imported = importGraph("g (float[2,3] x) => (float[2,3] y) { y = Softmax(x) }", 11);
  CHECK(imported.only(OpKind::Softmax).attrs.getInt("axis") == 1);
  imported = importGraph("g (float[2,3,1,1] x) => (float[2,3,1,1] y) { y = LogSoftmax(x) }", 7);
  CHECK(imported.only(OpKind::LogSoftmax).attrs.getInt("axis") == 1);
  imported = importGraph("g (float[2,3,4] x) => (float[2,3,4] y) { y = Softmax(x) }", 13);
  CHECK(imported.only(OpKind::Softmax).attrs.getInt("axis") == -1);
}

TEST_CASE("Upsample and the first Resize sample asymmetrically") {
  for (const int opset : {7, 9, 10, 11}) {
    std::string node = "s = Constant<value = float[4] {1.0, 1.0, 2.0, 2.0}>() y = ";
    if (opset == 7)
      node = "y = Upsample<mode=\"nearest\", scales=[1.0,1.0,2.0,2.0]>(x)";
    else if (opset == 9)
      node += "Upsample<mode=\"linear\">(x, s)";
    else if (opset == 10)
      node += "Resize<mode=\"linear\">(x, s)";
    else
      node += "Resize<mode=\"linear\">(x, roi, s)";
    if (opset == 11)
      node = "roi = Constant<value = float[0] {}>() " + node;
    CAPTURE(node);
    const Imported imported =
        importGraph("g (float[1,1,2,2] x) => (float[1,1,4,4] y) {" + node + "}", opset);
    const Op& resize = imported.only(OpKind::Resize);
    CHECK(resize.attrs.getString("coordinate_transformation_mode", "half_pixel") ==
          (opset < 11 ? "asymmetric" : "half_pixel"));
    CHECK_FALSE(resize.input(1));
    CHECK(imported.tensor("y").shape == Shape{1, 1, 4, 4});
  }
}

TEST_CASE("Split without sizes divides by its outputs") {
  const Imported imported =
      importGraph("g (float[6] x) => (float[2] a) { a, b, c = Split(x) }", 13);
  CHECK(imported.only(OpKind::Split).attrs.getInt("num_outputs") == 3);
  CHECK(imported.only(OpKind::Split).outputs.size() == 3);
  CHECK(imported.tensor("a").shape == Shape{2});
}

TEST_CASE("training leftovers are dropped or refused") {
  onnx::ModelProto model = parseOnnxGraph(
      "g (float[1,2,3] x) => (float[1,2,3] y) "
      "{ a, m, v = BatchNormalization<momentum=0.5>(x, s, b, mean, var) y, mask = Dropout(a) }",
      9);
  for (const char* name : {"s", "b", "mean", "var"})
    addWeights(model, name, {2});
  const Imported imported = importModel(model);
  CHECK(imported.only(OpKind::BatchNormalization).outputs.size() == 1);
  CHECK(imported.only(OpKind::Dropout).outputs.size() == 1);
  model.mutable_graph()->add_output()->set_name("mask");
  CHECK(importModel(model).said(DiagId::UnsupportedOp, "its mask is used"));
  CHECK(importGraph("g (float[2] x, bool t) => (float[2] y) { y = Dropout(x, , t) }", 12)
            .said(DiagId::UnsupportedOp, "training mode"));
}

TEST_CASE("Cast names its type and keeps only what can be computed") {
  const Imported imported = importGraph(
      "g (float[2,3] x) => (float[3,2] y) { s = Shape(x) f = Cast<to=1>(s) i = Cast<to=7>(f) "
      "a = Constant<value_ints = [1]>() o = Constant<value_ints = [0]>() "
      "p = Gather(i, a) q = Gather(i, o) t = Concat<axis=0>(p, q) y = Reshape(x, t) }");
  CHECK(imported.tensor("f").type == DType::Float32);
  CHECK(imported.tensor("y").shape == Shape{3, 2});
  CHECK(importGraph("g (float[2] x) => (int64[2] y) { y = Cast<to=7>(x) }").tensor("y").type ==
        DType::Int64);
  CHECK(importGraph("g (float[2] x) => (uint16[2] y) { y = Cast<to=4>(x) }").tensor("y").type ==
        DType::UInt16);
  CHECK(importGraph("g (float[2] x) => (uint32[2] y) { y = Cast<to=12>(x) }")
            .said(DiagId::UnsupportedType, "casts to UINT32"));
  CHECK(importGraph("g (float[2] x) => (string[2] y) { y = Cast<to=8>(x) }")
            .said(DiagId::UnsupportedType, "casts to STRING"));
}

TEST_CASE("quantization takes its type from the zero point") {
  const Imported imported =
      importGraph("g (float[2] x) => (int8[2] y) { s = Constant<value_float = 0.5>() "
                  "y = QuantizeLinear<output_dtype=3>(x, s) }",
                  21);
  const Op& op = imported.only(OpKind::QuantizeLinear);
  CHECK(imported.tensor("y").type == DType::Int8);
  CHECK(imported.input(op, 2).type == DType::Int8);
  CHECK_FALSE(op.attrs.has("output_dtype"));
}

TEST_CASE("relatives of known operators") {
  CHECK(importGraph("g (float[2] x, float[2] z) => (float[2] y) { y = Mean(x, z) }").kinds() ==
        "Sum Mul");
  CHECK(importGraph("g (float[2] x) => (float[2] y) { y = Swish(x) }", 24).kinds() == "Silu");
  CHECK(importGraph("g (float[2] x) => (float[2] y) { y = com.microsoft.Gelu(x) }").kinds() ==
        "Gelu");
  CHECK(
      importGraph("g (float[2] x, float[2] b) => (float[2] y) { y = com.microsoft.FastGelu(x, b) }")
          .only(OpKind::Gelu)
          .attrs.getString("approximate") == "tanh");
}
