// Every float operator: the runtime's outputs against the compile-time evaluator on the same graph.
#include "EmitTesting.h"
#include "tigris/IR/ConstantEval.h"

#include <random>

using namespace tigris;
using namespace tigris::test;

namespace {

std::vector<float> randomFloats(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(random() % 2001) / 500.0F - 2.0F);
  return values;
}

/// The first output from the evaluator; fails the test if an operator has no rule.
std::vector<float> evaluated(const Graph& graph, const std::vector<BlobRef>& inputs) {
  KnownValues values(graph);
  for (size_t i = 0; i < inputs.size(); ++i)
    values.set(graph.inputs()[i].tensor, inputs[i]);
  for (const OpId id : graph.order()) {
    const Op& op = graph.op(id);
    const auto results = inferResults(op, values);
    REQUIRE_MESSAGE(bool(results), (results ? "" : results.error().message()));
    const auto computed = evaluateOp(op, values, *results);
    REQUIRE_MESSAGE(computed.has_value(), "no rule for ", op.kindName());
    for (size_t i = 0; i < op.outputs.size(); ++i)
      values.set(op.outputs[i], computed->at(i));
  }
  return values.find(graph.outputs()[0].tensor)->values<float>();
}

std::string shapeText(const Shape& shape) { return shape.str(); }

/// One op on float inputs a, b, ... of the given shapes and constants k0, k1, ...
void checkOp(const std::string& op, const std::vector<Shape>& inputs,
             const std::vector<Shape>& constants, const Shape& output, bool positive = false) {
  CAPTURE(op);
  std::string yaml = "inputs:\n";
  for (size_t i = 0; i < inputs.size(); ++i)
    yaml += strCat("  - {name: in", i, "}\n");
  yaml += "outputs:\n  - {name: out}\ntensors:\n";
  for (size_t i = 0; i < inputs.size(); ++i)
    yaml += strCat("  - {name: in", i, ", type: float32, shape: ", shapeText(inputs[i]), "}\n");
  for (size_t i = 0; i < constants.size(); ++i)
    yaml += strCat("  - {name: k", i, ", type: float32, shape: ", shapeText(constants[i]),
                   ", const: true}\n");
  yaml += strCat("  - {name: out, type: float32, shape: ", shapeText(output), "}\nops:\n  - {", op,
                 "}\n");
  if (!constants.empty())
    yaml += "blobs:\n";
  for (size_t i = 0; i < constants.size(); ++i)
    yaml += strCat("  - {name: k", i, ", fill: {seed: ", i + 5, ", amplitude: 1.0}}\n");
  const Graph graph = normalized(yaml);

  std::vector<Bytes> bytes;
  std::vector<BlobRef> blobs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::vector<float> values = randomFloats(inputs[i].elements(), static_cast<uint32_t>(i + 1));
    for (float& value : values)
      value = positive ? std::abs(value) + 0.1F : value;
    bytes.push_back(bytesOf(values));
    blobs.push_back(makeBlobOf(values));
  }
  const std::vector<float> expected = evaluated(graph, blobs);
  const std::vector<float> actual = valuesOf<float>(runGraph(graph, bytes).at(0));
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    CHECK(actual[i] == doctest::Approx(expected[i]).epsilon(1e-4));
}

} // namespace

TEST_CASE("convolutions") {
  checkOp(
      "op: Conv, name: o, in: [in0, k0, k1], out: [out], attrs: {kernel_shape: [3, 2], strides: "
      "[2, 1], dilations: [1, 2], pads: [1, 0, 0, 1]}, act: Relu6",
      {{1, 7, 6, 3}}, {{4, 3, 3, 2}, {4}}, {1, 3, 5, 4});
  checkOp("op: Conv, name: o, in: [in0, k0], out: [out], attrs: {kernel_shape: [1, 1], group: 2}, "
          "act: Clip",
          {{2, 3, 3, 4}}, {{6, 2, 1, 1}}, {2, 3, 3, 6});
  checkOp(
      "op: DepthwiseConv, name: o, in: [in0, k0, k1], out: [out], attrs: {kernel_shape: [3, 3], "
      "group: 3, pads: [1, 1, 1, 1]}",
      {{1, 5, 5, 3}}, {{6, 1, 3, 3}, {6}}, {1, 5, 5, 6});
  checkOp(
      "op: Conv1D, name: o, in: [in0, k0, k1], out: [out], attrs: {kernel_shape: [3], dilations: "
      "[2], pads: [4, 0]}, act: Relu",
      {{1, 9, 4}}, {{5, 4, 3}, {5}}, {1, 9, 5});
}

TEST_CASE("convolutions with padding by rule") {
  checkOp("op: Conv, name: o, in: [in0, k0], out: [out], attrs: {auto_pad: SAME_UPPER, strides: "
          "[2, 2]}",
          {{1, 6, 6, 2}}, {{3, 2, 3, 3}}, {1, 3, 3, 3});
}

TEST_CASE("transposed convolutions") {
  checkOp(
      "op: ConvTranspose, name: o, in: [in0, k0, k1], out: [out], attrs: {kernel_shape: [2, 3], "
      "strides: [2, 2], pads: [0, 1, 0, 1], output_padding: [1, 0]}",
      {{1, 3, 4, 3}}, {{3, 2, 2, 3}, {2}}, {1, 7, 7, 2});
  checkOp(
      "op: ConvTranspose, name: o, in: [in0, k0], out: [out], attrs: {strides: [2, 2], group: 2}",
      {{1, 2, 2, 4}}, {{4, 3, 2, 2}}, {1, 4, 4, 6});
}

TEST_CASE("dense layers and matrix products") {
  checkOp("op: Gemm, name: o, in: [in0, k0, k1], out: [out], attrs: {transB: 1}, act: Relu",
          {{2, 6}}, {{3, 6}, {3}}, {2, 3});
  checkOp("op: Gemm, name: o, in: [in0, k0, k1], out: [out]", {{2, 6}}, {{6, 3}, {1}}, {2, 3});
  checkOp("op: Gemm, name: o, in: [in0, in1], out: [out], attrs: {transB: 1}", {{2, 6}, {3, 6}}, {},
          {2, 3});
  checkOp("op: MatMul, name: o, in: [in0, k0], out: [out]", {{2, 3, 4}}, {{4, 5}}, {2, 3, 5});
  checkOp("op: MatMul, name: o, in: [in0, in1], out: [out]", {{2, 1, 3, 4}, {5, 4, 2}}, {},
          {2, 5, 3, 2});
}

TEST_CASE("pools and reductions") {
  checkOp(
      "op: MaxPool, name: o, in: [in0], out: [out], attrs: {kernel_shape: [3, 3], strides: [2, 2], "
      "pads: [1, 1, 1, 1]}",
      {{1, 6, 6, 2}}, {}, {1, 3, 3, 2});
  checkOp("op: MaxPool, name: o, in: [in0], out: [out], attrs: {kernel_shape: [2], strides: [2], "
          "ceil_mode: 1}",
          {{1, 7, 3}}, {}, {1, 4, 3});
  for (const char* count : {"0", "1"})
    checkOp(strCat("op: AveragePool, name: o, in: [in0], out: [out], attrs: {kernel_shape: [3, 2], "
                   "pads: [1, 0, 1, 1], count_include_pad: ",
                   count, "}"),
            {{1, 4, 4, 3}}, {}, {1, 4, 4, 3});
  checkOp("op: GlobalAveragePool, name: o, in: [in0], out: [out]", {{2, 3, 4, 5}}, {},
          {2, 1, 1, 5});
  checkOp("op: GlobalMaxPool, name: o, in: [in0], out: [out]", {{2, 3, 4, 5}}, {}, {2, 1, 1, 5});
  checkOp("op: GlobalMaxPool, name: o, in: [in0], out: [out]", {{1, 6, 5}}, {}, {1, 1, 5});
  for (const char* kind : {"Mean", "Sum", "Max", "Min", "Prod"}) {
    checkOp(strCat("op: Reduce", kind, ", name: o, in: [in0], out: [out], attrs: {axes: [-2, 1]}"),
            {{2, 3, 4, 2}}, {}, {2, 1, 1, 2});
    checkOp(strCat("op: Reduce", kind, ", name: o, in: [in0], out: [out], attrs: {keepdims: 0}"),
            {{2, 3}}, {}, {});
  }
}

TEST_CASE("binary operators broadcast") {
  for (const char* kind : {"Add", "Sub", "Mul", "Div", "Max", "Min"}) {
    checkOp(strCat("op: ", kind, ", name: o, in: [in0, in1], out: [out]"), {{1, 3, 2, 4}, {4}}, {},
            {1, 3, 2, 4}, true);
    checkOp(strCat("op: ", kind, ", name: o, in: [k0, in0], out: [out]"), {{2, 3, 1}}, {{1, 3, 5}},
            {2, 3, 5}, true);
  }
  checkOp("op: Pow, name: o, in: [in0, in1], out: [out]", {{2, 3}, {1, 3}}, {}, {2, 3}, true);
  checkOp(
      "op: Add, name: o, in: [in0, in1], out: [out], attrs: {act_min: -0.5, act_max: 1.5}, act: "
      "Clip",
      {{2, 3}, {2, 3}}, {}, {2, 3});
  checkOp("op: PRelu, name: o, in: [in0, k0], out: [out]", {{1, 2, 2, 3}}, {{3}}, {1, 2, 2, 3});
}

TEST_CASE("functions of one element") {
  for (const char* kind :
       {"Sigmoid", "HardSwish", "Tanh", "Softplus", "Softsign", "Mish",        "Gelu",  "Erf",
        "Exp",     "Neg",       "Abs",  "Sign",     "Floor",    "Ceil",        "Round", "Sin",
        "Cos",     "LeakyRelu", "Elu",  "Selu",     "Celu",     "HardSigmoid", "Relu",  "Relu6"})
    checkOp(strCat("op: ", kind, ", name: o, in: [in0], out: [out]"), {{1, 3, 3, 5}}, {},
            {1, 3, 3, 5});
  for (const char* kind : {"Log", "Sqrt", "Reciprocal"})
    checkOp(strCat("op: ", kind, ", name: o, in: [in0], out: [out]"), {{1, 9}}, {}, {1, 9}, true);
  checkOp("op: Clip, name: o, in: [in0], out: [out], attrs: {min: -0.5}", {{1, 9}}, {}, {1, 9});
  checkOp("op: Clip, name: o, in: [in0], out: [out], attrs: {min: 1.0, max: -1.0}", {{1, 9}}, {},
          {1, 9});
  checkOp("op: Gelu, name: o, in: [in0], out: [out], attrs: {approximate: tanh}", {{1, 9}}, {},
          {1, 9});
  checkOp("op: Elu, name: o, in: [in0], out: [out], attrs: {alpha: 0.25}", {{1, 9}}, {}, {1, 9});
}

TEST_CASE("normalizations") {
  checkOp("op: Softmax, name: o, in: [in0], out: [out]", {{2, 7}}, {}, {2, 7});
  checkOp("op: Softmax, name: o, in: [in0], out: [out], attrs: {axis: 1}", {{1, 3, 2, 4}}, {},
          {1, 3, 2, 4});
  checkOp("op: LogSoftmax, name: o, in: [in0], out: [out], attrs: {axis: -1}", {{2, 7}}, {},
          {2, 7});
  checkOp(
      "op: LayerNormalization, name: o, in: [in0, k0, k1], out: [out], attrs: {axis: -2, epsilon: "
      "0.01}",
      {{2, 3, 4}}, {{3, 4}, {3, 4}}, {2, 3, 4});
  checkOp("op: BatchNorm, name: o, in: [in0, k0, k1], out: [out], act: Relu", {{1, 2, 3, 4}},
          {{4}, {4}}, {1, 2, 3, 4});
}

TEST_CASE("data movement") {
  checkOp("op: Concat, name: o, in: [in0, k0, in1], out: [out], attrs: {axis: -1}",
          {{1, 2, 3}, {1, 2, 2}}, {{1, 2, 4}}, {1, 2, 9});
  checkOp("op: Concat, name: o, in: [in0, in1], out: [out], attrs: {axis: 1}",
          {{1, 2, 3}, {1, 4, 3}}, {}, {1, 6, 3});
  checkOp(
      "op: Slice, name: o, in: [in0], out: [out], attrs: {starts: [-1, 1], ends: [-100, 3], axes: "
      "[2, 1], steps: [-2, 1]}",
      {{2, 4, 6}}, {}, {2, 2, 3});
  checkOp("op: Pad, name: o, in: [in0], out: [out], attrs: {pads: [0, 1, 2, 0, 0, 1, 0, 3], value: "
          "1.5}",
          {{1, 2, 2, 2}}, {}, {1, 4, 4, 5});
  checkOp("op: Pad, name: o, in: [in0], out: [out], attrs: {pads: [1, 2], axes: [1]}", {{1, 3}}, {},
          {1, 6});
  checkOp("op: Transpose, name: o, in: [in0], out: [out], attrs: {perm: [2, 0, 3, 1]}",
          {{2, 3, 4, 5}}, {}, {4, 2, 5, 3});
  checkOp("op: Transpose, name: o, in: [in0], out: [out]", {{2, 3, 4}}, {}, {4, 3, 2});
}

TEST_CASE("padding that repeats the tensor") {
  const auto padded = [](const char* mode) {
    return runFloats(normalized(strCat(R"(inputs:
  - {name: x}
outputs:
  - {name: out}
tensors:
  - {name: x, type: float32, shape: [1, 3]}
  - {name: out, type: float32, shape: [1, 7]}
ops:
  - {op: Pad, name: o, in: [x], out: [out], attrs: {pads: [0, 2, 0, 2], mode: )",
                                       mode, "}}\n")),
                     {1, 2, 3});
  };
  CHECK(padded("edge") == std::vector<float>{1, 1, 1, 2, 3, 3, 3});
  CHECK(padded("reflect") == std::vector<float>{3, 2, 1, 2, 3, 2, 1});
}

TEST_CASE("gathers constant rows") {
  const Graph graph = normalized(R"(inputs:
  - {name: x}
outputs:
  - {name: out}
tensors:
  - {name: x, type: float32, shape: [3, 2]}
  - {name: k, type: int64, shape: [2, 2], const: true}
  - {name: out, type: float32, shape: [2, 2, 2]}
ops:
  - {op: Gather, name: o, in: [x, k], out: [out]}
blobs:
  - {name: k, values: [2, -3, 1, 1]}
)");
  CHECK(runFloats(graph, {1, 2, 3, 4, 5, 6}) == std::vector<float>{5, 6, 1, 2, 3, 4, 3, 4});
}

TEST_CASE("resizing") {
  const auto resized = [](const std::string& attrs, const std::string& out) {
    return runFloats(normalized(strCat(R"(inputs:
  - {name: x}
outputs:
  - {name: out}
tensors:
  - {name: x, type: float32, shape: [1, 2, 2, 1]}
  - {name: out, type: float32, shape: )",
                                       out, R"(}
ops:
  - {op: Resize, name: o, in: [x], out: [out], attrs: {)",
                                       attrs, "}}\n")),
                     {1, 2, 3, 4});
  };
  CHECK(resized("scales: [1.0, 1.0, 2.0, 1.0], coordinate_transformation_mode: asymmetric, "
                "nearest_mode: floor",
                "[1, 2, 4, 1]") == std::vector<float>{1, 1, 2, 2, 3, 3, 4, 4});
  CHECK(resized("sizes: [1, 3, 2, 1], mode: linear, coordinate_transformation_mode: align_corners",
                "[1, 3, 2, 1]") == std::vector<float>{1, 2, 2, 3, 3, 4});
  CHECK(resized("scales: [1.0, 2.0, 2.0, 1.0], mode: linear", "[1, 4, 4, 1]") ==
        std::vector<float>{1, 1.25F, 1.75F, 2, 1.5F, 1.75F, 2.25F, 2.5F, 2.5F, 2.75F, 3.25F, 3.5F,
                           3, 3.25F, 3.75F, 4});
}
