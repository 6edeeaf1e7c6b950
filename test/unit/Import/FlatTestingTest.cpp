// Builds models of TensorFlow Lite.
#include "FlatTesting.h"

#include "tigris/Import/Tflite/TfliteImporter.h"

#include <doctest/doctest.h>
#include <cstring>

namespace tigris::test {

FlatBuilder::FlatBuilder() {
  model_.version = 3;
  model_.buffers.push_back(std::make_unique<tflite::BufferT>());
  model_.subgraphs.push_back(std::make_unique<tflite::SubGraphT>());
}

int32_t FlatBuilder::tensor(const std::string& name, const std::vector<int32_t>& shape,
                            tflite::TensorType type, std::vector<float> scales,
                            std::vector<int64_t> zeros, std::vector<uint8_t> data, int32_t axis) {
  auto made = std::make_unique<tflite::TensorT>();
  made->name = name;
  made->shape = shape;
  made->type = type;
  if (!scales.empty()) {
    made->quantization = std::make_unique<tflite::QuantizationParametersT>();
    made->quantization->scale = std::move(scales);
    made->quantization->zero_point = std::move(zeros);
    made->quantization->quantized_dimension = axis;
  }
  if (!data.empty()) {
    made->buffer = static_cast<uint32_t>(model_.buffers.size());
    model_.buffers.push_back(std::make_unique<tflite::BufferT>());
    model_.buffers.back()->data = std::move(data);
  }
  graph().tensors.push_back(std::move(made));
  return static_cast<int32_t>(graph().tensors.size()) - 1;
}

namespace {

template <typename T> std::vector<uint8_t> flatBytes(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

} // namespace

int32_t FlatBuilder::floats(const std::string& name, const std::vector<int32_t>& shape,
                            const std::vector<float>& values) {
  return tensor(name, shape, tflite::TensorType::FLOAT32, {}, {}, flatBytes(values));
}

int32_t FlatBuilder::ints(const std::string& name, const std::vector<int32_t>& values) {
  return tensor(name, {static_cast<int32_t>(values.size())}, tflite::TensorType::INT32, {}, {},
                flatBytes(values));
}

tflite::OperatorT& FlatBuilder::op(tflite::BuiltinOperator code, std::vector<int32_t> inputs,
                                   std::vector<int32_t> outputs, int32_t version) {
  auto known = std::make_unique<tflite::OperatorCodeT>();
  known->builtin_code = code;
  known->version = version;
  model_.operator_codes.push_back(std::move(known));
  auto made = std::make_unique<tflite::OperatorT>();
  made->opcode_index = static_cast<uint32_t>(model_.operator_codes.size()) - 1;
  made->inputs = std::move(inputs);
  made->outputs = std::move(outputs);
  graph().operators.push_back(std::move(made));
  return *graph().operators.back();
}

int32_t FlatBuilder::subgraph(FlatBuilder other) {
  // Buffers and codes of both models are numbered together.
  const auto buffers = static_cast<uint32_t>(model_.buffers.size());
  const auto codes = static_cast<uint32_t>(model_.operator_codes.size());
  for (auto& buffer : other.model_.buffers)
    model_.buffers.push_back(std::move(buffer));
  for (auto& code : other.model_.operator_codes)
    model_.operator_codes.push_back(std::move(code));
  for (auto& tensor : other.graph().tensors)
    tensor->buffer += buffers;
  for (auto& op : other.graph().operators)
    op->opcode_index += codes;
  model_.subgraphs.push_back(std::move(other.model_.subgraphs[0]));
  return static_cast<int32_t>(model_.subgraphs.size()) - 1;
}

std::string FlatBuilder::bytes() const {
  flatbuffers::FlatBufferBuilder builder;
  tflite::FinishModelBuffer(builder, tflite::Model::Pack(builder, &model_));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

Imported importFlat(std::string_view bytes, const ImportOptions& options) {
  Imported imported;
  DiagnosticEngine diagnostics(
      [&](Diagnostic diagnostic) { imported.diagnostics.push_back(std::move(diagnostic)); });
  Expected<Graph> graph = importTflite(bytes, options, diagnostics);
  if (graph)
    imported.graph = std::move(*graph);
  else
    imported.error = graph.takeError();
  return imported;
}

FlatBuilder smallConv() {
  using tflite::TensorType;
  FlatBuilder model;
  const int32_t x = model.tensor("x", {1, 5, 5, 2}, TensorType::INT8, {0.5F}, {3});
  const int32_t w = model.tensor("w", {4, 3, 3, 2}, TensorType::INT8, {0.1F, 0.2F, 0.3F, 0.4F},
                                 {0, 0, 0, 0}, std::vector<uint8_t>(72, 1));
  const int32_t b =
      model.tensor("b", {4}, TensorType::INT32, {0.05F}, {0}, std::vector<uint8_t>(16, 0));
  const int32_t y = model.tensor("y", {1, 3, 3, 4}, TensorType::INT8, {0.25F}, {-128});
  model.input(x);
  model.output(y);
  tflite::Conv2DOptionsT options;
  options.padding = tflite::Padding::SAME;
  options.stride_h = options.stride_w = 2;
  options.fused_activation_function = tflite::ActivationFunctionType::RELU6;
  model.op(tflite::BuiltinOperator::CONV_2D, {x, w, b}, {y}, options);
  return model;
}

} // namespace tigris::test
