// TensorFlow Lite models with variables and subgraphs.
#include "FlatTesting.h"

#include "tigris/IR/Elements.h"
#include "tigris/Support/StringUtils.h"

#include <doctest/doctest.h>

using namespace tigris;
using namespace tigris::test;
using tflite::BuiltinOperator;
using tflite::TensorType;

namespace {

tflite::VarHandleOptionsT named(const std::string& name) {
  tflite::VarHandleOptionsT options;
  options.shared_name = name;
  return options;
}

/// Adds a subgraph whose only operators assign `values` to the variable "v", and calls it once.
void initialize(FlatBuilder& model, const std::vector<float>& values) {
  FlatBuilder other;
  const int32_t handle = other.tensor("h", {}, TensorType::RESOURCE);
  const int32_t value = other.floats("value", {static_cast<int32_t>(values.size())}, values);
  other.op(BuiltinOperator::VAR_HANDLE, {}, {handle}, named("v"));
  other.op(BuiltinOperator::ASSIGN_VARIABLE, {handle, value}, {});
  tflite::CallOnceOptionsT once;
  once.init_subgraph_index = model.subgraph(std::move(other));
  model.op(BuiltinOperator::CALL_ONCE, {}, {}, once);
}

/// y = v, then v = v + x.
FlatBuilder counter(const std::vector<float>& initial) {
  FlatBuilder model;
  const int32_t x = model.tensor("x", {2}, TensorType::FLOAT32);
  const int32_t handle = model.tensor("h", {}, TensorType::RESOURCE);
  const int32_t y = model.tensor("y", {2}, TensorType::FLOAT32);
  const int32_t sum = model.tensor("sum", {2}, TensorType::FLOAT32);
  model.input(x);
  model.output(y);
  if (!initial.empty())
    initialize(model, initial);
  model.op(BuiltinOperator::VAR_HANDLE, {}, {handle}, named("v"));
  model.op(BuiltinOperator::READ_VARIABLE, {handle}, {y});
  model.op(BuiltinOperator::ADD, {y, x}, {sum}, tflite::AddOptionsT());
  model.op(BuiltinOperator::ASSIGN_VARIABLE, {handle, sum}, {});
  return model;
}

} // namespace

TEST_CASE("flat states: a variable is an input and an output that are bound") {
  for (const std::vector<float>& initial : {std::vector<float>(), std::vector<float>{0, 0}}) {
    const Imported imported = importFlat(counter(initial));
    REQUIRE(imported.graph);
    REQUIRE(imported.graph->inputs().size() == 2);
    REQUIRE(imported.graph->outputs().size() == 2);
    CHECK(imported.graph->inputs()[1].name == "v");
    CHECK(imported.graph->outputs()[0].name == "y");
    CHECK(imported.graph->outputs()[1].name == "v_next");
    CHECK(imported.graph->outputs()[1].state == "v");
    CHECK(imported.kinds() == "Add");
  }
}

TEST_CASE("flat states: another initial value is selected in the first run") {
  const Imported imported = importFlat(counter({1, 2}));
  REQUIRE(imported.graph);
  CHECK(imported.kinds() == "Where Add");
  const Op& select = imported.only(OpKind::Where);
  CHECK(imported.input(select, 0).name == "was_invoked");
  CHECK(imported.input(select, 1).name == "v");
  CHECK(imported.input(select, 2).data->values<float>() == std::vector<float>{1, 2});
  REQUIRE(imported.graph->outputs().size() == 3);
  CHECK(imported.graph->outputs()[1].state == "was_invoked");
}

TEST_CASE("flat states: a variable that the model does not assign is a constant") {
  FlatBuilder model;
  const int32_t x = model.tensor("x", {2}, TensorType::FLOAT32);
  const int32_t handle = model.tensor("h", {}, TensorType::RESOURCE);
  const int32_t v = model.tensor("read", {2}, TensorType::FLOAT32);
  const int32_t y = model.tensor("y", {2}, TensorType::FLOAT32);
  model.input(x);
  model.output(y);
  initialize(model, {3, 4});
  model.op(BuiltinOperator::VAR_HANDLE, {}, {handle}, named("v"));
  model.op(BuiltinOperator::READ_VARIABLE, {handle}, {v});
  model.op(BuiltinOperator::MUL, {x, v}, {y}, tflite::MulOptionsT());
  const Imported imported = importFlat(model);
  REQUIRE(imported.graph);
  CHECK(imported.kinds() == "Mul");
  CHECK(imported.graph->inputs().size() == 1);
  CHECK(imported.input(imported.only(OpKind::Mul), 1).isConstant());
}

TEST_CASE("flat states: subgraphs that call themselves, or do not exist, are refused") {
  for (const int32_t graph : {0, 7, -1}) {
    CAPTURE(graph);
    FlatBuilder model;
    const int32_t x = model.tensor("x", {2}, TensorType::FLOAT32);
    const int32_t y = model.tensor("y", {2}, TensorType::FLOAT32);
    model.input(x);
    model.output(y);
    tflite::WhileOptionsT options;
    options.cond_subgraph_index = options.body_subgraph_index = graph;
    model.op(BuiltinOperator::WHILE, {x}, {y}, options);
    const Imported imported = importFlat(model);
    CHECK_FALSE(imported.graph);
  }
}

namespace {

/// An LSTM of 2 units over [1, 3, 2]; `last` is its 24th operand.
FlatBuilder smallLstm(int32_t last = -1) {
  FlatBuilder model;
  std::vector<int32_t> operands(24, -1);
  const int32_t x = operands[0] = model.tensor("x", {1, 3, 2}, TensorType::FLOAT32);
  for (size_t i = 1; i <= 8; ++i)
    operands[i] =
        model.floats(strCat("w", i), {2, 2}, std::vector<float>(4, static_cast<float>(i)));
  for (size_t i = 12; i <= 15; ++i)
    operands[i] = model.floats(strCat("b", i), {2}, std::vector<float>(2, static_cast<float>(i)));
  operands[18] = model.tensor("h", {1, 2}, TensorType::FLOAT32);
  operands[19] = model.tensor("c", {1, 2}, TensorType::FLOAT32);
  for (const size_t i : {18, 19})
    model.graph().tensors[static_cast<size_t>(operands[i])]->is_variable = true;
  operands[23] = last;
  const int32_t y = model.tensor("y", {1, 3, 2}, TensorType::FLOAT32);
  model.input(x);
  model.output(y);
  tflite::UnidirectionalSequenceLSTMOptionsT options;
  options.fused_activation_function = tflite::ActivationFunctionType::TANH;
  options.cell_clip = 10;
  model.op(BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, operands, {y}, options);
  return model;
}

} // namespace

TEST_CASE("flat states: LSTM has ONNX's order of gates, and two states") {
  const Imported imported = importFlat(smallLstm());
  REQUIRE(imported.graph);
  const Op& layer = imported.only(OpKind::LSTM);
  CHECK(layer.attrs.getFloat("cell_clip") == 10);
  const auto w = loadElements<float>(*imported.input(layer, 1).data, DType::Float32);
  REQUIRE(w.size() == 16);
  CHECK(std::vector<float>{w[0], w[4], w[8], w[12]} == std::vector<float>{1, 4, 2, 3});
  REQUIRE(imported.graph->outputs().size() == 3);
  CHECK(imported.graph->outputs()[1].state == "c");
  CHECK(imported.graph->outputs()[2].state == "h");
}

TEST_CASE("flat states: an LSTM with layer normalization is refused") {
  const Imported imported = importFlat(smallLstm(0));
  CHECK_FALSE(imported.graph);
}

TEST_CASE("flat states: SVDF keeps its features, and its variable tensor is a state") {
  FlatBuilder model;
  const int32_t x = model.tensor("x", {1, 3}, TensorType::FLOAT32);
  const int32_t features = model.floats("features", {4, 3}, std::vector<float>(12, 1));
  const int32_t filters = model.floats("filters", {4, 5}, std::vector<float>(20, 1));
  const int32_t state = model.tensor("state", {1, 20}, TensorType::FLOAT32);
  const int32_t y = model.tensor("y", {1, 2}, TensorType::FLOAT32);
  model.graph().tensors[static_cast<size_t>(state)]->is_variable = true;
  model.input(x);
  model.output(y);
  tflite::SVDFOptionsT options;
  options.rank = 2;
  model.op(BuiltinOperator::SVDF, {x, features, filters, -1, state}, {y}, options);
  const Imported imported = importFlat(model);
  REQUIRE(imported.graph);
  CHECK(imported.only(OpKind::SVDF).attrs.getInt("rank") == 2);
  REQUIRE(imported.graph->outputs().size() == 2);
  CHECK(imported.graph->outputs()[1].state == "state");
  CHECK(imported.graph->outputs()[1].shape == Shape{1, 20});
}
