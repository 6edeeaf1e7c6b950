// Tensors of a TensorFlow Lite file in the representation of the graph.
//
// Quantized uint8 and uint16 tensors become int8 and int16 with values and zero point lowered by
// 128 or 32,768, which leaves every real value unchanged; ports of the model keep the unsigned
// type. Constants of float16 become float32, those of 4 bits are stored one per byte, sparse ones
// are stored densely. Dimensions keep their order, NHWC for pictures.
#pragma once

#include "tigris/IR/Tensor.h"
#include "tigris/Import/GraphBuilder.h"
#include "tigris/Import/Tflite/FlatModel.h"

namespace tigris {

/// What the graph knows of a tensor, without its data.
struct TensorFacts {
  /// Type in the graph; Undefined if it has none.
  DType type = DType::Undefined;
  /// Type at the model's interface: UInt8 for a quantized uint8 tensor, which is int8 in the graph.
  DType portType = DType::Undefined;
  /// As declared. Free dimensions are 1; a tensor without a shape counts as a scalar.
  Shape shape;
  std::optional<QuantParam> quant;
};

/// "INT8".
std::string flatTypeName(tflite::TensorType type);

/// UnsupportedType for types that no kernel computes in (strings, complex numbers, ...), BadModel
/// for impossible shapes, scales and zero points. `name` is for messages.
Expected<TensorFacts> factsOf(const tflite::Tensor& tensor, const std::string& name);

/// The data of a constant, in the type of its facts.
Expected<ConstantData> constantOf(const FlatModel& model, const tflite::Tensor& tensor,
                                  const TensorFacts& facts, const std::string& name);

/// The elements of a sparse tensor in row-major order, each `width` bytes; others are zero.
Expected<std::vector<uint8_t>> densified(const tflite::SparsityParameters& sparsity,
                                         const Shape& shape, std::span<const uint8_t> stored,
                                         size_t width, const std::string& name);

} // namespace tigris
