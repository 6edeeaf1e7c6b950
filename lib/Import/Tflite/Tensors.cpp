// Types, shapes, quantization and data of tensors.
#include "tigris/Import/Tflite/Tensors.h"

#include "tigris/IR/ConstantEval.h"
#include "tigris/Support/Half.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tigris {

using tflite::TensorType;

namespace {

template <typename... Args>
Error tensorError(DiagId id, const std::string& name, const Args&... text) {
  return makeError(id, "tensor '", name, "': ", text...);
}

DType graphType(TensorType type) {
  switch (type) {
  case TensorType::FLOAT32:
  case TensorType::FLOAT16:
    return DType::Float32;
  case TensorType::INT8:
  case TensorType::INT4:
    return DType::Int8;
  case TensorType::UINT8:
    return DType::UInt8;
  case TensorType::INT16:
    return DType::Int16;
  case TensorType::UINT16:
    return DType::UInt16;
  case TensorType::INT32:
    return DType::Int32;
  case TensorType::INT64:
    return DType::Int64;
  case TensorType::BOOL:
    return DType::Bool;
  default:
    return DType::Undefined;
  }
}

/// How much lower the values of a quantized tensor are in the graph.
int32_t loweredBy(TensorType type) {
  return type == TensorType::UINT8 ? 128 : type == TensorType::UINT16 ? 32768 : 0;
}

Expected<std::optional<QuantParam>> quantOf(const tflite::Tensor& tensor, const Shape& shape,
                                            const std::string& name) {
  const tflite::QuantizationParameters* given = tensor.quantization();
  const std::vector<float> scales =
      given == nullptr ? std::vector<float>() : elementsOf(given->scale());
  const DType type = graphType(tensor.type());
  if (scales.empty() || !isInteger(type) || type == DType::Bool || type == DType::Int64)
    return std::optional<QuantParam>();
  constexpr uint8_t Blockwise = 2;
  if (given->details_type() >= Blockwise)
    return tensorError(DiagId::UnsupportedType, name,
                       "has one scale per block, only scales per tensor and per channel are "
                       "supported");
  QuantParam quant;
  quant.scale = scales;
  std::vector<int64_t> zeros = elementsOf(given->zero_point());
  if (zeros.empty())
    zeros = {0};
  if (zeros.size() != scales.size() && zeros.size() != 1)
    return tensorError(DiagId::BadModel, name, "has ", scales.size(), " scales and ", zeros.size(),
                       " zero points");
  zeros.resize(scales.size(), zeros[0]);
  const bool unset = std::all_of(scales.begin(), scales.end(), [](float s) { return s == 0; });
  if (unset) // written by converters for tensors that are not quantized
    return std::optional<QuantParam>();
  for (const float scale : scales)
    if (!(scale > 0) || !std::isfinite(scale))
      return tensorError(DiagId::BadModel, name, "has the scale ", scale,
                         ", expected a positive number");
  if (scales.size() > 1) {
    const int64_t axis = given->quantized_dimension();
    if (axis < 0 || static_cast<size_t>(axis) >= shape.rank() ||
        shape[static_cast<size_t>(axis)] != static_cast<int64_t>(scales.size()))
      return tensorError(DiagId::BadModel, name, "of shape ", shape.str(), " has ", scales.size(),
                         " scales along dimension ", axis);
    quant.axis = static_cast<int>(axis);
  }
  const int32_t lowered = loweredBy(tensor.type());
  const DType stored = lowered == 0 ? type : type == DType::UInt8 ? DType::Int8 : DType::Int16;
  for (const int64_t zero : zeros) {
    if (zero - lowered < dtypeMin(stored) || zero - lowered > dtypeMax(stored))
      return tensorError(DiagId::BadModel, name, "has the zero point ", zero, ", outside ",
                         flatTypeName(tensor.type()));
    quant.zeroPoint.push_back(static_cast<int32_t>(zero) - lowered);
  }
  return std::optional(std::move(quant));
}

/// Two elements per byte, the low half first.
std::vector<uint8_t> unpackedNibbles(std::span<const uint8_t> packed, size_t count) {
  std::vector<uint8_t> elements(count);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t nibble = packed[i / 2] >> (i % 2 * 4) & 15U;
    elements[i] = static_cast<uint8_t>(nibble >= 8 ? nibble | 0xF0U : nibble);
  }
  return elements;
}

size_t flatWidth(TensorType type) {
  return type == TensorType::FLOAT16 ? 2 : dtypeSize(graphType(type));
}

std::vector<uint8_t> widenedHalves(std::span<const uint8_t> halves) {
  std::vector<uint8_t> bytes(halves.size() * 2);
  for (size_t i = 0; i + 1 < halves.size(); i += 2) {
    const auto half = static_cast<uint16_t>(halves[i] | halves[i + 1] << 8);
    const float value = halfToFloat(half);
    std::memcpy(bytes.data() + i * 2, &value, sizeof(value));
  }
  return bytes;
}

} // namespace

std::string flatTypeName(TensorType type) {
  const std::string_view known = tflite::EnumNameTensorType(type);
  return known.empty() ? strCat("type ", static_cast<int>(type)) : std::string(known);
}

Expected<TensorFacts> factsOf(const tflite::Tensor& tensor, const std::string& name) {
  TensorFacts facts;
  std::vector<int64_t> dims;
  for (const int32_t dim : elementsOf(tensor.shape()))
    dims.push_back(dim == -1 ? 1 : dim);
  facts.shape = Shape(std::move(dims));
  if (!facts.shape.checkedElements())
    return tensorError(DiagId::BadModel, name, "has the impossible shape ", facts.shape.str());
  facts.type = facts.portType = graphType(tensor.type());
  if (facts.type == DType::Undefined)
    return tensorError(DiagId::UnsupportedType, name, "is of type ", flatTypeName(tensor.type()),
                       ", which no kernel computes in");
  Expected<std::optional<QuantParam>> quant = quantOf(tensor, facts.shape, name);
  if (!quant)
    return quant.takeError();
  facts.quant = std::move(*quant);
  if (facts.quant && loweredBy(tensor.type()) != 0)
    facts.type = facts.type == DType::UInt8 ? DType::Int8 : DType::Int16;
  return facts;
}

Expected<ConstantData> constantOf(const FlatModel& model, const tflite::Tensor& tensor,
                                  const TensorFacts& facts, const std::string& name) {
  const std::span<const uint8_t> stored = model.bytesOf(tensor);
  const auto count = static_cast<size_t>(facts.shape.elements());
  const size_t width = flatWidth(tensor.type());
  std::vector<uint8_t> bytes;
  if (tensor.sparsity() != nullptr) {
    if (tensor.type() == TensorType::INT4)
      return tensorError(DiagId::UnsupportedType, name, "is sparse with 4-bit elements");
    Expected<std::vector<uint8_t>> dense =
        densified(*tensor.sparsity(), facts.shape, stored, width, name);
    if (!dense)
      return dense.takeError();
    bytes = std::move(*dense);
  } else {
    const size_t expected = tensor.type() == TensorType::INT4 ? (count + 1) / 2 : count * width;
    if (stored.size() != expected)
      return tensorError(DiagId::BadWeights, name, "has ", stored.size(),
                         " bytes of data, expected ", expected, " for ",
                         flatTypeName(tensor.type()), " ", facts.shape.str());
    bytes = tensor.type() == TensorType::INT4 ? unpackedNibbles(stored, count)
                                              : std::vector<uint8_t>(stored.begin(), stored.end());
  }
  if (tensor.type() == TensorType::FLOAT16)
    bytes = widenedHalves(bytes);
  // subtracting half the range flips the highest bit
  if (facts.type != facts.portType)
    for (size_t i = width - 1; i < bytes.size(); i += width)
      bytes[i] ^= 0x80U;
  return ConstantData{facts.type, facts.shape, makeBlob(std::move(bytes))};
}

} // namespace tigris
