// One path for raw, external and typed data: all are converted to little-endian bytes, then to the
// IR's elements.
#include "tigris/Import/Onnx/TensorReader.h"

#include "tigris/Support/Half.h"
#include "tigris/Support/SideFile.h"
#include "tigris/Support/StringUtils.h"

#include <bit>
#include <cstring>
#include <filesystem>

namespace tigris {

namespace {

using onnx::TensorProto;

/// The encoding of an element type in a file.
struct Encoding {
  int32_t onnxType;
  DType type;
  /// Bits of one stored element.
  unsigned bits;
};

constexpr Encoding Encodings[] = {
    {TensorProto::FLOAT, DType::Float32, 32},
    {TensorProto::UINT8, DType::UInt8, 8},
    {TensorProto::INT8, DType::Int8, 8},
    {TensorProto::UINT16, DType::UInt16, 16},
    {TensorProto::INT16, DType::Int16, 16},
    {TensorProto::INT32, DType::Int32, 32},
    {TensorProto::INT64, DType::Int64, 64},
    {TensorProto::BOOL, DType::Bool, 8},
    {TensorProto::FLOAT16, DType::Float32, 16},
    {TensorProto::DOUBLE, DType::Float32, 64},
    {TensorProto::BFLOAT16, DType::Float32, 16},
    // By number: the schema of an older ONNX does not name them.
    {21, DType::UInt4, 4},
    {22, DType::Int4, 4},
};

const Encoding* findEncoding(int32_t onnxType) {
  for (const Encoding& encoding : Encodings)
    if (encoding.onnxType == onnxType)
      return &encoding;
  return nullptr;
}

template <typename To, typename From, typename Convert>
std::vector<uint8_t> convertAll(std::string_view bytes, Convert convert) {
  const size_t count = bytes.size() / sizeof(From);
  std::vector<uint8_t> result(count * sizeof(To));
  for (size_t i = 0; i < count; ++i) {
    From from;
    std::memcpy(&from, bytes.data() + i * sizeof(From), sizeof(From));
    const To to = convert(from);
    std::memcpy(result.data() + i * sizeof(To), &to, sizeof(To));
  }
  return result;
}

std::vector<uint8_t> unpackNibbles(std::string_view bytes, size_t count, bool isSigned) {
  std::vector<uint8_t> result(count);
  for (size_t i = 0; i < count; ++i) {
    const auto pair = static_cast<uint8_t>(bytes[i / 2]);
    const uint8_t nibble = i % 2 == 0 ? pair & 0xF : pair >> 4;
    result[i] = isSigned && nibble > 7 ? nibble | 0xF0 : nibble;
  }
  return result;
}

/// Converts little-endian elements of the file to the IR's elements.
std::vector<uint8_t> toElements(const Encoding& encoding, std::string_view stored, size_t count) {
  switch (encoding.onnxType) {
  case TensorProto::FLOAT16:
    return convertAll<float, uint16_t>(stored, halfToFloat);
  case TensorProto::BFLOAT16:
    return convertAll<float, uint16_t>(
        stored, [](uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); });
  case TensorProto::DOUBLE:
    return convertAll<float, double>(stored,
                                     [](double value) { return static_cast<float>(value); });
  case TensorProto::BOOL:
    return convertAll<uint8_t, uint8_t>(stored, [](uint8_t b) -> uint8_t { return b != 0; });
  default:
    if (encoding.bits == 4)
      return unpackNibbles(stored, count, encoding.type == DType::Int4);
    const auto* first = reinterpret_cast<const uint8_t*>(stored.data());
    return {first, first + stored.size()};
  }
}

template <typename To, typename Field> std::string packField(const Field& field) {
  std::string bytes(static_cast<size_t>(field.size()) * sizeof(To), '\0');
  char* out = bytes.data();
  for (const auto value : field) {
    const To to = static_cast<To>(value);
    std::memcpy(out, &to, sizeof(To));
    out += sizeof(To);
  }
  return bytes;
}

/// The typed fields in the byte format of raw_data.
std::string typedBytes(const TensorProto& tensor, const Encoding& encoding) {
  switch (encoding.onnxType) {
  case TensorProto::FLOAT:
    return packField<float>(tensor.float_data());
  case TensorProto::DOUBLE:
    return packField<double>(tensor.double_data());
  case TensorProto::INT64:
    return packField<int64_t>(tensor.int64_data());
  case TensorProto::INT32:
    return packField<int32_t>(tensor.int32_data());
  default: // narrower types are in int32_data; 4-bit types as two per entry
    return encoding.bits == 16 ? packField<uint16_t>(tensor.int32_data())
                               : packField<uint8_t>(tensor.int32_data());
  }
}

std::string_view externalEntry(const TensorProto& tensor, std::string_view key) {
  for (const auto& entry : tensor.external_data())
    if (entry.key() == key)
      return entry.value();
  return {};
}

} // namespace

std::optional<DType> importedType(int32_t onnxType) {
  const Encoding* encoding = findEncoding(onnxType);
  return encoding == nullptr ? std::nullopt : std::optional(encoding->type);
}

bool isReplacedFloat(int32_t onnxType) {
  return onnxType == TensorProto::FLOAT16 || onnxType == TensorProto::BFLOAT16 ||
         onnxType == TensorProto::DOUBLE;
}

void noteFloatType(GraphBuilder& builder, int32_t onnxType) {
  if (isReplacedFloat(onnxType))
    builder.warnOnce(DiagId::UnsupportedType, "the model computes in ", onnxTypeName(onnxType),
                     "; it is imported to compute in float32");
}

std::string onnxTypeName(int32_t onnxType) {
  return TensorProto::DataType_IsValid(onnxType)
             ? TensorProto::DataType_Name(static_cast<TensorProto::DataType>(onnxType))
             : strCat("type ", onnxType);
}

Expected<Shape> tensorShape(const google::protobuf::RepeatedField<int64_t>& dims,
                            const std::string& name) {
  Shape shape(std::vector<int64_t>(dims.begin(), dims.end()));
  if (!shape.checkedElements())
    return makeError(DiagId::BadModel, "tensor '", name, "' has the impossible shape ",
                     shape.str());
  return shape;
}

Expected<std::string> TensorReader::externalBytes(const TensorProto& tensor,
                                                  const std::string& name, size_t expected) {
  const std::string location(externalEntry(tensor, "location"));
  if (location.empty())
    return makeError(DiagId::BadWeights, "tensor '", name, "': its external data has no location");
  const auto number = [&](std::string_view key, uint64_t fallback) -> std::optional<uint64_t> {
    const std::string_view text = externalEntry(tensor, key);
    if (text.empty())
      return fallback;
    const std::optional<int64_t> value = parseInt(text);
    return value && *value >= 0 ? std::optional(static_cast<uint64_t>(*value)) : std::nullopt;
  };
  const std::optional<uint64_t> offset = number("offset", 0);
  const std::optional<uint64_t> length = number("length", expected);
  if (!offset || !length)
    return makeError(DiagId::BadWeights, "tensor '", name, "': offset '",
                     externalEntry(tensor, "offset"), "' or length '",
                     externalEntry(tensor, "length"), "' of its external data is not a number");
  if (*length != expected)
    return makeError(DiagId::BadWeights, "tensor '", name, "': its external data has ", *length,
                     " bytes, its type and shape need ", expected);

  const auto failed = [&](const Error& error) {
    return makeError(error.id(), "external data of tensor '", name, "': ", error.message());
  };
  const Expected<std::string> path = resolveBeside(modelPath_, location);
  if (!path)
    return failed(path.error());
  const Expected<SideFile> file = SideFile::open(*path);
  if (!file)
    return failed(file.error());
  if (*offset > file->size() || expected > file->size() - *offset)
    return makeError(DiagId::BadWeights, "tensor '", name, "' needs bytes ", *offset, " to ",
                     *offset + expected, " of '", location, "', which has ", file->size());
  std::string bytes(expected, '\0');
  if (Status status = file->read(*offset, std::as_writable_bytes(std::span(bytes))); !status)
    return failed(status.error());
  filesRead_.insert((std::filesystem::path(modelPath_).parent_path() / location).string());
  return bytes;
}

Expected<ConstantData> TensorReader::read(const TensorProto& tensor, const std::string& name) {
  const Encoding* encoding = findEncoding(tensor.data_type());
  if (encoding == nullptr)
    return makeError(DiagId::UnsupportedType, "tensor '", name, "' has elements of type ",
                     onnxTypeName(tensor.data_type()), ", which no kernel computes in");
  if (tensor.has_segment())
    return makeError(DiagId::BadWeights, "tensor '", name, "' is stored in segments");
  Expected<Shape> shape = tensorShape(tensor.dims(), name);
  if (!shape)
    return shape.takeError();
  const auto count = static_cast<size_t>(shape->elements());
  const size_t expected = (count * encoding->bits + 7) / 8;

  std::string unpacked;
  std::string_view stored;
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    Expected<std::string> external = externalBytes(tensor, name, expected);
    if (!external)
      return external.takeError();
    unpacked = std::move(*external);
    stored = unpacked;
  } else if (tensor.has_raw_data()) {
    stored = tensor.raw_data();
  } else {
    unpacked = typedBytes(tensor, *encoding);
    stored = unpacked;
  }
  if (stored.size() != expected)
    return makeError(DiagId::BadWeights, "tensor '", name, "' has ", stored.size(),
                     " bytes of data, its shape ", shape->str(), " of ",
                     onnxTypeName(tensor.data_type()), " needs ", expected);
  return ConstantData{encoding->type, std::move(*shape),
                      makeBlob(toElements(*encoding, stored, count))};
}

} // namespace tigris
