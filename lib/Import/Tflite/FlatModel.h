// A TensorFlow Lite file: verified once, then read in place.
//
// Nothing of the file is read before FlatBuffers' verifier has found every offset, length and
// string inside the file, and open() then checks the numbers by which parts refer to each other:
// later code may follow them without further checks. The file may be at any address, because a
// misaligned one is copied.
#pragma once

#include "tigris/Support/Expected.h"

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tflite/schema_generated.h>
#include <vector>

namespace tigris {

/// An operator code of the file.
struct OperatorCode {
  tflite::BuiltinOperator builtin = tflite::BuiltinOperator::ADD;
  /// Of CUSTOM operators.
  std::string custom;
  int version = 1;

  /// "CONV_2D", or the name of a custom operator.
  std::string name() const;
};

/// The elements of an optional vector; none if it is absent. The verifier aligns vectors to 4 bytes
/// only, so elements of 8 bytes are copied as bytes.
template <typename T> std::vector<T> elementsOf(const flatbuffers::Vector<T>* vector) {
  static_assert(FLATBUFFERS_LITTLEENDIAN, "elements are stored with the lowest byte first");
  std::vector<T> elements(vector == nullptr ? 0 : vector->size());
  if (!elements.empty())
    std::memcpy(elements.data(), vector->Data(), elements.size() * sizeof(T));
  return elements;
}
template <typename T>
std::vector<const T*> tablesOf(const flatbuffers::Vector<flatbuffers::Offset<T>>* vector) {
  return vector == nullptr ? std::vector<const T*>()
                           : std::vector<const T*>(vector->begin(), vector->end());
}
inline std::string textOf(const flatbuffers::String* text) {
  return text == nullptr ? std::string() : text->str();
}

/// A subgraph, as vectors of tables.
struct FlatGraph {
  std::string name;
  std::vector<const tflite::Tensor*> tensors;
  std::vector<const tflite::Operator*> operators;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
};

class FlatModel {
public:
  /// BadModel if the file is damaged. `bytes` must outlive the model.
  static Expected<std::unique_ptr<FlatModel>> open(std::string_view bytes);

  const tflite::Model& root() const { return *root_; }
  const std::vector<FlatGraph>& graphs() const { return graphs_; }
  const OperatorCode& codeOf(const tflite::Operator& op) const { return codes_[op.opcode_index()]; }
  /// The stored bytes of a constant; empty if the tensor has none.
  std::span<const uint8_t> bytesOf(const tflite::Tensor& tensor) const {
    return buffers_[tensor.buffer()];
  }

private:
  FlatModel() = default;

  Status readBuffers();
  Status readCodes();
  Status readGraphs();
  Status checkTensor(const tflite::Tensor& tensor, size_t graph, size_t index) const;
  static Status checkIndices(const FlatGraph& graph, size_t index);

  std::string_view bytes_;
  /// The file, if its first byte was not aligned.
  std::unique_ptr<uint64_t[]> copy_;
  const tflite::Model* root_ = nullptr;
  std::vector<std::span<const uint8_t>> buffers_;
  std::vector<OperatorCode> codes_;
  std::vector<FlatGraph> graphs_;
};

} // namespace tigris
