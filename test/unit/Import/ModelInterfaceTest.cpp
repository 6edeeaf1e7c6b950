// Inputs, outputs, free dimensions and float types at the model's interface.
#include "ImportTesting.h"

#include <doctest/doctest.h>

using namespace tigris;
using namespace tigris::test;

namespace {

const char* const TwoFree = "g (float[batch,3,h] x, float[batch,3,h] z) => (float[batch,3,h] y) "
                            "{ y = Add(x, z) }";

ImportOptions shapes(std::map<std::string, Shape> inputShapes) {
  return {std::move(inputShapes), "", false};
}

} // namespace

TEST_CASE("free dimensions become 1 with one warning per input") {
  const Imported imported = importGraph(TwoFree);
  CHECK(imported.tensor("y").shape == Shape{1, 3, 1});
  REQUIRE(imported.diagnostics.size() == 1);
  CHECK(imported.diagnostics[0].severity == Severity::Warning);
  CHECK(imported.said(DiagId::FreeDimension, "input 'x': free dimensions 0 ('batch'), 2 ('h') "
                                             "bound to 1; bind with --input-shape x:1x3x1"));
}

TEST_CASE("a dimension bound for one input holds for the others") {
  const Imported imported = importGraph(TwoFree, 17, shapes({{"z", Shape{2, 3, 7}}}));
  CHECK(imported.tensor("x").shape == Shape{2, 3, 7});
  CHECK(imported.diagnostics.empty());
  CHECK(imported.graph->inputs()[0].shape == Shape{2, 3, 7});
}

TEST_CASE("wrong input shapes are usage errors") {
  CHECK(importGraph(TwoFree, 17, shapes({{"zz", Shape{1}}}))
            .said(DiagId::Usage, "the model has no input 'zz'; did you mean 'z'?"));
  CHECK(importGraph(TwoFree, 17, shapes({{"x", Shape{1, 3}}})).said(DiagId::Usage, "2 dimensions"));
  CHECK(importGraph(TwoFree, 17, shapes({{"x", Shape{1, 4, 1}}}))
            .said(DiagId::Usage, "dimension 1 is 4, the model's [batch, 3, h] fixes it to 3"));
  CHECK(importGraph(TwoFree, 17, shapes({{"x", Shape{1, 3, 2}}, {"z", Shape{2, 3, 2}}}))
            .said(DiagId::Usage, "another input binds it to 1"));
}

TEST_CASE("equal dimensions have one name, except '?', which is none") {
  onnx::ModelProto model = parseOnnxGraph("g (float[1,h,h] x) => (float[1,h,h] y) { y = Relu(x) }");
  const ImportOptions options = shapes({{"x", Shape{1, 4, 5}}});
  CHECK(importModel(model, options).said(DiagId::Usage, "another input binds it to 4"));
  auto* shape = model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type();
  for (const int axis : {1, 2})
    shape->mutable_shape()->mutable_dim(axis)->set_dim_param("?");
  CHECK(importModel(model, options).tensor("x").shape == Shape{1, 4, 5});
}

TEST_CASE("an input with a fixed value is a constant and chooses branches") {
  ImportOptions options;
  options.inputValues = {{"rate", 16000}};
  const Imported imported = importGraph(R"(g (float[2] x, int64 rate) => (float[2] y) {
    wide = Constant<value = int64 {16000}>()
    cond = Equal(rate, wide)
    y = If (cond) < then_branch = t () => (float[2] r) { r = Relu(x) },
                    else_branch = e () => (float[2] r) { r = Neg(x) } > })",
                                        17, options);
  CHECK(imported.kinds().find("Relu") != std::string::npos);
  CHECK(imported.graph->inputs().size() == 1);
}

TEST_CASE("wrong input values are usage errors") {
  const std::string text = "g (float[2] x, uint8[2] n) => (float[2] y) { y = Relu(x) }";
  ImportOptions options;
  options.inputValues = {{"m", 1}};
  CHECK(importGraph(text, 17, options).said(DiagId::Usage, "the model has no input 'm'"));
  options.inputValues = {{"n", 300}};
  CHECK(importGraph(text, 17, options).said(DiagId::Usage, "300 is not a number of type uint8"));
}

TEST_CASE("an input without a shape needs one") {
  onnx::ModelProto model = parseOnnxGraph("g (float[2] x) => (float[2] y) { y = Relu(x) }");
  model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  CHECK(importModel(model).said(DiagId::DynamicShape, "input 'x' has no shape"));
  CHECK(importModel(model, shapes({{"x", Shape{5}}})).tensor("x").shape == Shape{5});
}

TEST_CASE("an input that an initializer fills is a constant") {
  onnx::ModelProto model =
      parseOnnxGraph("g (float[2] x, float[2] w) => (float[2] y) { y = Add(x, w) }");
  addWeights(model, "w", {2});
  const Imported imported = importModel(model);
  CHECK(imported.graph->inputs().size() == 1);
  CHECK(imported.tensor("w").isConstant());
}

TEST_CASE("outputs that are inputs, constants or twice the same get a copy") {
  onnx::ModelProto model = parseOnnxGraph(
      "g (float[2] x) => (float[2] y, float[2] x, float[2] w, float[2] y) { y = Relu(x) }");
  addWeights(model, "w", {2});
  const Imported imported = importModel(model);
  CHECK(imported.kinds() == "Relu Identity Identity Identity");
  const std::vector<Port>& outputs = imported.graph->outputs();
  REQUIRE(outputs.size() == 4);
  CHECK(outputs[0].name == "y");
  CHECK(outputs[1].name == "x");
  CHECK(outputs[2].name == "w");
  CHECK(outputs[3].name == "y_copy");
  CHECK(imported.graph->tensor(outputs[1].tensor).name == "x_copy");
}

TEST_CASE("an input that nothing reads stays an input") {
  const Imported imported =
      importGraph("g (float[2] x, int64[3] unused) => (float[2] y) { y = Relu(x) }");
  REQUIRE(imported.graph->inputs().size() == 2);
  CHECK(imported.graph->inputs()[1].type == DType::Int64);
}

TEST_CASE("a declared output shape that is wrong is a warning") {
  const Imported imported = importGraph("g (float[2,3] x) => (float[2,4] y) { y = Relu(x) }");
  CHECK(imported.said(DiagId::BadShape,
                      "output 'y' is declared as [2, 4], the model computes [2, 3]"));
  CHECK(imported.tensor("y").shape == Shape{2, 3});
}

TEST_CASE("a float16 model computes in float32 and says so once") {
  const Imported imported = importGraph("g (float16[2] x, float16[2] z) => (float16[2] y) "
                                        "{ a = Add(x, z) b = Cast<to=1>(a) y = Cast<to=10>(b) }");
  CHECK(imported.diagnostics.size() == 1);
  CHECK(imported.said(DiagId::UnsupportedType, "the model computes in FLOAT16"));
  CHECK(imported.tensor("y").type == DType::Float32);
  CHECK(imported.tensor("x").type == DType::Float32);
  CHECK(imported.graph->inputs()[0].type == DType::Float16);
  CHECK(imported.graph->outputs()[0].type == DType::Float16);
}

TEST_CASE("inputs that are no tensors of known type are refused") {
  onnx::ModelProto model = parseOnnxGraph("g (string[2] x) => (string[2] y) { y = Identity(x) }");
  CHECK(importModel(model).said(DiagId::UnsupportedType, "STRING"));
  model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_sequence_type();
  CHECK(importModel(model).said(DiagId::UnsupportedType, "is not a tensor"));
}

TEST_CASE("tensors without elements: inputs and parts disappear, outputs are refused") {
  const std::string text = "g (float[1,n] past, float[1,2] x) => (float y) { k = Concat<axis=1>"
                           "(past, x) y = Relu(k) }";
  ImportOptions options;
  options.inputShapes = {{"past", {1, 0}}};
  const Imported imported = importGraph(text, 17, options);
  CHECK(imported.graph->inputs().size() == 1);
  CHECK(imported.said(DiagId::BadShape, "input 'past' of shape [1, 0] has no elements"));
  CHECK(imported.tensor("y").shape == Shape{1, 2});
  CHECK(importGraph("g (float[2] x) => (float y) { y = Slice<starts=[2], ends=[2]>(x) }", 9)
            .said(DiagId::UnsupportedOp,
                  "node 'Slice_0' (Slice): the model's output 'y' of shape [0] has no "
                  "elements"));
}
