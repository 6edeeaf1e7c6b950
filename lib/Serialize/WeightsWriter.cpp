// Chooses the cheapest form for each blob: numbers, the text it was read from, a reference, or
// base64.
#include "tigris/Serialize/WeightsWriter.h"

#include "tigris/Serialize/Base64.h"
#include "tigris/Serialize/BlobSources.h"
#include "tigris/Serialize/FlowText.h"
#include "tigris/Serialize/Schema.h"
#include "tigris/Support/Crc32.h"
#include "tigris/Support/FileIO.h"
#include "tigris/Support/MathUtils.h"

#include <cmath>
#include <cstring>
#include <filesystem>

namespace tigris {

namespace {

/// Alignment of blobs in a side file, so that readers may map it and use it in place.
constexpr uint64_t SideFileAlign = 64;

/// Element `index` of raw little-endian data.
template <typename T> T element(std::span<const uint8_t> bytes, size_t index) {
  T value{};
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

int64_t integerElement(std::span<const uint8_t> bytes, size_t index, DType type) {
  switch (type) {
  case DType::UInt8:
  case DType::Bool:
  case DType::UInt4:
    return element<uint8_t>(bytes, index);
  case DType::UInt16:
    return element<uint16_t>(bytes, index);
  case DType::Int16:
    return element<int16_t>(bytes, index);
  case DType::Int32:
    return element<int32_t>(bytes, index);
  case DType::Int64:
    return element<int64_t>(bytes, index);
  default:
    return element<int8_t>(bytes, index);
  }
}

/// Whether a NaN has bits that `.nan` would lose.
bool hasOddNan(std::span<const uint8_t> bytes, DType type) {
  const size_t count = bytes.size() / dtypeSize(type);
  for (size_t i = 0; i < count; ++i) {
    if (type == DType::Float32 && std::isnan(element<float>(bytes, i)) &&
        element<uint32_t>(bytes, i) != 0x7FC00000)
      return true;
    if (type == DType::Float64 && std::isnan(element<double>(bytes, i)) &&
        element<uint64_t>(bytes, i) != 0x7FF8000000000000)
      return true;
  }
  return false;
}

/// Whether a list of numbers represents the data exactly.
bool printsAsValues(const Blob& blob, DType type) {
  if (blob.size() > static_cast<size_t>(FewElements) * dtypeSize(type) || type == DType::Float16)
    return false;
  const auto bytes = blob.bytes();
  for (size_t i = 0; isInteger(type) && i < bytes.size() / dtypeSize(type); ++i) {
    // A bool or nibble outside its type's range can be kept, but not read from a list.
    const int64_t value = integerElement(bytes, i, type);
    if (value < dtypeMin(type) || value > dtypeMax(type))
      return false;
  }
  return !hasOddNan(bytes, type);
}

void appendValues(std::string& out, std::span<const uint8_t> bytes, DType type) {
  out += '[';
  for (size_t i = 0; i < bytes.size() / dtypeSize(type); ++i) {
    if (i > 0)
      out += ", ";
    if (type == DType::Float32)
      out += formatFloat(element<float>(bytes, i));
    else if (type == DType::Float64)
      out += formatDouble(element<double>(bytes, i));
    else
      appendNumber(out, integerElement(bytes, i, type));
  }
  out += ']';
}

void appendCrc(std::string& out, uint32_t crc) {
  out += '"';
  for (int shift = 28; shift >= 0; shift -= 4)
    out += "0123456789abcdef"[crc >> shift & 0xF];
  out += '"';
}

/// `path` relative to the directory of `moduleFile`.
std::string relativePath(const std::string& path, const std::string& moduleFile) {
  namespace fs = std::filesystem;
  const fs::path directory = moduleFile == "-" ? fs::path() : fs::path(moduleFile).parent_path();
  if (directory.empty())
    return fs::path(path).lexically_normal().string();
  const fs::path base = fs::absolute(directory).lexically_normal();
  return fs::absolute(path).lexically_normal().lexically_relative(base).string();
}

/// Amplitude that keeps activations from growing from layer to layer: at most 1 / sqrt(n), where n
/// is the number of products in a sum. The inputs of the sum may be all axes but the first or the
/// first axis; n is the larger of the two counts.
float floatAmplitude(const Shape& shape) {
  if (shape.rank() < 2)
    return 0.0625F;
  return 1.0F / std::sqrt(static_cast<float>(std::max(shape.elementsFrom(1), shape[0])));
}

Pattern patternFor(const Tensor& tensor) {
  Pattern pattern;
  pattern.type = tensor.type;
  pattern.seed = crc32(tensor.name.data(), tensor.name.size());
  pattern.amplitude = tensor.type == DType::Float32 ? floatAmplitude(tensor.shape)
                      : tensor.type == DType::Int8  ? 127.0F
                                                    : 1000.0F;
  return pattern;
}

} // namespace

void WeightsWriter::addConstant(TensorId id) {
  const Tensor& tensor = graph_.tensor(id);
  items_.push_back({tensor.name, tensor.type, tensor.data, id});
}

template <typename T>
std::string WeightsWriter::addArray(const std::string& base, const std::vector<T>& values) {
  std::string name = base;
  for (unsigned k = 1; graph_.findTensor(name) || arrayNames_.count(name) != 0; ++k)
    name = strCat(base, "_", k);
  arrayNames_.insert(name);
  const DType type = std::is_same_v<T, float> ? DType::Float32 : DType::Int32;
  items_.push_back({name, type, makeBlobOf(values), TensorId()});
  return name;
}
template std::string WeightsWriter::addArray(const std::string& base,
                                             const std::vector<float>& values);
template std::string WeightsWriter::addArray(const std::string& base,
                                             const std::vector<int32_t>& values);

bool WeightsWriter::mayBePattern(const Item& item) const {
  if (!item.tensor || !Pattern::supports(item.type))
    return false;
  for (const OpId user : graph_.users(item.tensor)) {
    const Op& op = graph_.op(user);
    // Random variances would be negative, and unknown ops may require particular values.
    if (op.kind == OpKind::BatchNormalization || op.kind == OpKind::Unknown)
      return false;
    const OpInfo& info = opInfo(op.kind);
    for (size_t i = 0; i < op.inputs.size() && i < info.operands.size(); ++i)
      if (op.inputs[i] == item.tensor && info.operands[i].compileTime)
        return false;
    const bool indices = info.operands.size() > 1 && info.operands[1].name == "indices" &&
                         op.input(1) == item.tensor;
    const bool computes =
        info.category == OpCategory::Compile || info.category == OpCategory::Pointwise;
    if (indices || (computes && item.type == DType::Int32))
      return false;
  }
  return true;
}

void WeightsWriter::printPattern(std::string& out, const Item& item) const {
  const auto* known = dynamic_cast<const PatternSource*>(item.data->source());
  const bool keep = known != nullptr && known->pattern().type == item.type;
  const Pattern pattern = keep ? known->pattern() : patternFor(graph_.tensor(item.tensor));
  out += "  - ";
  FlowMap map(out);
  map.string("name", item.name);
  map.number("bytes", uint64_t{item.data->size()});
  uint32_t crc = 0;
  if (keep) {
    crc = item.data->crc();
  } else {
    const std::vector<uint8_t> bytes = pattern.generate(item.data->size());
    crc = crc32(bytes.data(), bytes.size());
  }
  appendCrc(map.key("crc32"), crc);
  FlowMap fill(map.key("fill"));
  fill.number("seed", uint64_t{pattern.seed});
  if (pattern.type == DType::Float32)
    fill.key("amplitude") += formatFloat(pattern.amplitude);
  else
    fill.number("amplitude", static_cast<int64_t>(pattern.amplitude));
  fill.close();
  map.close();
  out += '\n';
}

void WeightsWriter::printFileReference(std::string& out, const Item& item, const std::string& path,
                                       uint64_t offset) const {
  out += "  - ";
  FlowMap map(out);
  map.string("name", item.name);
  map.number("bytes", uint64_t{item.data->size()});
  appendCrc(map.key("crc32"), item.data->crc());
  map.string("file", path);
  map.number("offset", offset);
  map.close();
  out += '\n';
}

void WeightsWriter::printItem(TextPieces& pieces, const Item& item) {
  std::string& out = pieces.tail();
  if (printsAsValues(*item.data, item.type)) {
    out += "  - ";
    FlowMap map(out);
    map.string("name", item.name);
    appendValues(map.key("values"), item.data->bytes(), item.type);
    map.close();
    out += '\n';
    return;
  }
  const bool few = item.data->size() <= static_cast<size_t>(FewElements) * dtypeSize(item.type);
  const auto* pattern = dynamic_cast<const PatternSource*>(item.data->source());
  if ((pattern != nullptr && pattern->pattern().type == item.type && item.tensor) ||
      (options_.weights == WeightsMode::Splat && !few && mayBePattern(item)))
    return printPattern(out, item);
  if (options_.weights == WeightsMode::File && !few && item.tensor) {
    sideFile_.resize(alignUp(sideFile_.size(), SideFileAlign));
    const uint64_t offset = sideFile_.size();
    const auto bytes = item.data->bytes();
    sideFile_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const bool absolute = std::filesystem::path(options_.weightsFile).is_absolute();
    return printFileReference(out, item,
                              absolute ? options_.weightsFile
                                       : relativePath(options_.weightsFile, options_.moduleFile),
                              offset);
  }
  if (const auto* file = dynamic_cast<const FileSource*>(item.data->source()))
    return printFileReference(out, item,
                              file->absolute() ? file->path()
                                               : relativePath(file->path(), options_.moduleFile),
                              file->offset());

  printData(pieces, item);
}

void WeightsWriter::printData(TextPieces& pieces, const Item& item) const {
  std::string& out = pieces.tail();
  out += "  - name: ";
  appendString(out, item.name);
  out += "\n    bytes: ";
  appendNumber(out, uint64_t{item.data->size()});
  out += "\n    crc32: ";
  appendCrc(out, item.data->crc());
  out += "\n    data: !!binary |\n";
  const std::string_view known =
      item.data->source() != nullptr ? item.data->source()->encodedText() : std::string_view();
  if (!known.empty() && known.size() == base64BlockLength(item.data->size())) {
    checkData(*item.data);
    pieces.share(known, item.data);
  } else {
    const auto block = std::make_shared<const std::string>(base64Block(item.data->bytes()));
    pieces.share(*block, block);
  }
}

Status WeightsWriter::print(TextPieces& pieces) {
  if (items_.empty())
    return {};
  std::string& out = pieces.tail();
  out += "---\ntigris: weights/";
  appendNumber(out, int64_t{WeightsVersion});
  out += "\nblobs:\n";
  for (const Item& item : items_)
    printItem(pieces, item);
  if (options_.weights == WeightsMode::File)
    return options_.writeSideFile
               ? options_.writeSideFile(options_.weightsFile, std::move(sideFile_))
               : writeFile(options_.weightsFile, sideFile_);
  return {};
}

} // namespace tigris
