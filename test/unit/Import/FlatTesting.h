// Helpers of the tests of TensorFlow Lite models: small models built with FlatBuffers' object API
// from the importer's own schema.
#pragma once

#include "ImportTesting.h"

#include <tflite/schema_generated.h>

namespace tigris::test {

/// A model of one subgraph under construction.
class FlatBuilder {
public:
  FlatBuilder();

  /// Adds a tensor and returns its number; with data it is a constant.
  int32_t tensor(const std::string& name, const std::vector<int32_t>& shape,
                 tflite::TensorType type, std::vector<float> scales = {},
                 std::vector<int64_t> zeros = {}, std::vector<uint8_t> data = {}, int32_t axis = 0);
  int32_t floats(const std::string& name, const std::vector<int32_t>& shape,
                 const std::vector<float>& values);
  int32_t ints(const std::string& name, const std::vector<int32_t>& values);

  void input(int32_t index) { graph().inputs.push_back(index); }
  void output(int32_t index) { graph().outputs.push_back(index); }

  /// Adds an operator with the options `T`, if they are given.
  tflite::OperatorT& op(tflite::BuiltinOperator code, std::vector<int32_t> inputs,
                        std::vector<int32_t> outputs, int32_t version = 1);
  template <typename T>
  void op(tflite::BuiltinOperator code, std::vector<int32_t> inputs, std::vector<int32_t> outputs,
          T options) {
    op(code, std::move(inputs), std::move(outputs)).builtin_options.Set(std::move(options));
  }

  /// Adds the subgraph of another model and returns its number.
  int32_t subgraph(FlatBuilder other);

  tflite::ModelT& model() { return model_; }
  tflite::SubGraphT& graph() { return *model_.subgraphs[0]; }
  std::string bytes() const;

private:
  tflite::ModelT model_;
};

Imported importFlat(std::string_view bytes, const ImportOptions& options = {});
inline Imported importFlat(const FlatBuilder& model, const ImportOptions& options = {}) {
  return importFlat(model.bytes(), options);
}

/// A convolution 3x3 of int8 with stride 2, SAME padding and RELU6 over [1, 5, 5, 2].
FlatBuilder smallConv();

} // namespace tigris::test
