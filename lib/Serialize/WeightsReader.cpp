// The scanner accepts the printer's layout only. The general parser reads any other YAML of the
// same schema. Both call addEntry(), so that they agree about the contents of a blob.
#include "tigris/Serialize/WeightsReader.h"

#include "tigris/Serialize/Base64.h"
#include "tigris/Serialize/BlobSources.h"
#include "tigris/Serialize/Schema.h"
#include "tigris/Support/Crc32.h"
#include "tigris/Support/SideFile.h"

#include <charconv>
#include <cmath>
#include <filesystem>

namespace tigris {

namespace {

/// A larger pattern is a mistake in a handwritten module.
constexpr uint64_t MaxPatternBytes = uint64_t{1} << 30;

/// Iterates over lines and counts them.
class LineCursor {
public:
  LineCursor(std::string_view text, int line) : text_(text), line_(line) {}

  bool atEnd() const { return at_ >= text_.size(); }
  std::string_view peek() const {
    return text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_);
  }
  void skip() {
    at_ = std::min(at_ + peek().size() + 1, text_.size());
    ++line_;
  }
  bool take(std::string_view line) {
    if (atEnd() || peek() != line)
      return false;
    skip();
    return true;
  }
  size_t position() const { return at_; }
  int line() const { return line_; }
  std::string_view from(size_t start) const { return text_.substr(start, at_ - start); }
  std::string_view rest() const { return text_.substr(at_); }
  /// Skips `block`, which starts at the cursor and ends with a newline.
  void jump(std::string_view block, size_t lines) {
    at_ += block.size();
    line_ += static_cast<int>(lines);
  }

private:
  std::string_view text_;
  size_t at_ = 0;
  int line_;
};

constexpr std::string_view DataLine = "    data: !!binary |";
constexpr std::string_view BlockIndent = "      ";

struct Block {
  std::string_view text;
  /// Whether it has the printer's layout.
  bool canonical = false;
};

/// The block scalar at the cursor, which should hold `bytes` bytes.
Block takeBlock(LineCursor& cursor, uint64_t bytes) {
  const std::string_view rest = cursor.rest();
  // Limit to the size of the text, so that the length does not overflow.
  if (bytes <= rest.size()) {
    const std::string_view block = rest.substr(0, base64BlockLength(bytes));
    const bool ends = rest.substr(block.size(), BlockIndent.size()) != BlockIndent;
    if (ends && isBase64Block(block, bytes)) {
      cursor.jump(block, (base64Length(bytes) + 1023) / 1024);
      return {block, true};
    }
  }
  const size_t start = cursor.position();
  while (!cursor.atEnd() && cursor.peek().substr(0, BlockIndent.size()) == BlockIndent)
    cursor.skip();
  return {cursor.from(start), false};
}

std::optional<uint64_t> bytesField(const YamlNode& item) {
  for (size_t i = 0; i < item.items.size(); i += 2)
    if (item.items[i].text == "bytes") {
      const auto value = parseInt(item.items[i + 1].text);
      return value && *value >= 0 ? std::optional(static_cast<uint64_t>(*value)) : std::nullopt;
    }
  return std::nullopt;
}

template <typename T> void append(std::vector<uint8_t>& bytes, T value) {
  const auto* first = reinterpret_cast<const uint8_t*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof(T));
}

} // namespace

WeightsReader::WeightsReader(const NodeReader& reader, std::shared_ptr<const std::string> text)
    : reader_(reader), text_(std::move(text)) {}

void WeightsReader::read(const YamlDocument& document) {
  present_ = true;
  if (scan(document))
    return;
  entries_.clear();
  trees_.clear();
  readGeneral(document);
}

bool WeightsReader::scan(const YamlDocument& document) {
  LineCursor cursor(document.text, document.line);
  if (!cursor.take("---") || !cursor.take("tigris: weights/1") || !cursor.take("blobs:"))
    return false;
  while (!cursor.atEnd()) {
    if (cursor.peek().substr(0, 4) != "  - ")
      return false;
    const size_t start = cursor.position();
    const int line = cursor.line();
    cursor.skip();
    while (!cursor.atEnd() && cursor.peek().substr(0, 4) == "    " && cursor.peek() != DataLine)
      cursor.skip();
    auto tree = parseSubset(cursor.from(start), line);
    if (!tree || tree->root.kind != YamlNode::Kind::Sequence || tree->root.items.size() != 1)
      return false;
    const YamlNode& item = trees_.emplace_back(std::move(*tree)).root.items.front();
    std::optional<Block> block;
    if (cursor.take(DataLine)) {
      const auto bytes = bytesField(item);
      if (!bytes)
        return false;
      block = takeBlock(cursor, *bytes);
    }
    Entry& entry = addEntry(item, block.has_value());
    if (block)
      setBlock(entry, block->text, block->canonical);
  }
  return true;
}

void WeightsReader::readGeneral(const YamlDocument& document) {
  if (Status status = refuseControlBytes(document, reader_.fileName()); !status)
    throw ReadFailure{status.takeError()};
  auto tree = parseYaml(document.text, document.line, reader_.fileName());
  if (!tree)
    throw ReadFailure{tree.takeError()};
  const YamlNode& root = trees_.emplace_back(std::move(*tree)).root;
  checkSchema(reader_, root, "weights", WeightsVersion);
  const auto blobs = reader_.fields(root, "weights document",
                                    std::array<std::string_view, 2>{"tigris", "blobs"})[1];
  for (const YamlNode& item :
       reader_.list(reader_.required(blobs, root, "weights document", "blobs"), "blobs"))
    addEntry(item, false);
}

WeightsReader::Entry& WeightsReader::addEntry(const YamlNode& node, bool hasBlock) {
  const auto [name, bytes, crc, data, values, fill, file, offset] =
      reader_.fields(node, "blob",
                     std::array<std::string_view, 8>{"name", "bytes", "crc32", "data", "values",
                                                     "fill", "file", "offset"});
  const std::string blobName =
      reader_.name(reader_.required(name, node, "blob", "name"), "blob name");
  Entry entry;
  entry.node = &node;
  entry.values = values;
  entry.fill = fill;
  entry.file = file;
  entry.data = data;
  const int forms = (values != nullptr ? 1 : 0) + (fill != nullptr ? 1 : 0) +
                    (file != nullptr ? 1 : 0) + (data != nullptr || hasBlock ? 1 : 0);
  if (forms != 1)
    reader_.fail(DiagId::BadValue, node, "blob '", blobName, "' has ", forms,
                 " of the keys data, values, fill and file, must have exactly one");
  if (values != nullptr && (bytes != nullptr || crc != nullptr))
    reader_.fail(DiagId::BadValue, node, "blob '", blobName,
                 "': bytes and crc32 are not allowed with values");
  if (offset != nullptr && file == nullptr)
    reader_.fail(DiagId::BadValue, *offset, "blob '", blobName,
                 "': offset is allowed only with file");
  if (bytes != nullptr)
    entry.bytes = reader_.size(*bytes, "bytes");
  if (offset != nullptr)
    entry.offset = reader_.size(*offset, "offset");
  if (crc != nullptr) {
    uint32_t value = 0;
    const std::string text = reader_.string(*crc, "crc32");
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (text.size() != 8 || result.ec != std::errc() || result.ptr != text.data() + 8)
      reader_.fail(DiagId::BadValue, *crc, "crc32 must be 8 hexadecimal digits in quotes, not ",
                   describeNode(*crc));
    entry.crc = value;
  }
  const auto [position, added] = entries_.emplace(blobName, entry);
  if (!added)
    reader_.fail(DiagId::DuplicateName, node, "blob '", blobName, "' is given twice");
  return position->second;
}

void WeightsReader::setBlock(Entry& entry, std::string_view block, bool canonical) {
  entry.block = block;
  entry.canonical = canonical;
  if (!canonical)
    checkLength(entry, block, *entry.bytes);
}

/// A truncated module ends inside a blob; report it now and not when the data is needed.
void WeightsReader::checkLength(const Entry& entry, std::string_view encoded,
                                uint64_t bytes) const {
  const size_t found = countBase64(encoded);
  if (found != base64Length(bytes))
    reader_.fail(DiagId::BadWeights, *entry.node, "blob '", findKey(*entry.node, "name")->text,
                 "' has ", found, " base64 characters, ", base64Length(bytes), " expected for ",
                 bytes, " bytes; is the module truncated?");
}

WeightsReader::Entry& WeightsReader::take(const std::string& name, const YamlNode& where) {
  const auto found = entries_.find(name);
  if (found == entries_.end())
    reader_.fail(DiagId::BadWeights, where, "the data of '", name, "' is missing: ",
                 present_ ? "the weights document has no blob of this name"
                          : "the module has no weights document; is it truncated?");
  found->second.used = true;
  return found->second;
}

void WeightsReader::finish() const {
  for (const auto& [name, entry] : entries_)
    if (!entry.used)
      reader_.fail(DiagId::UnknownTensor, *entry.node, "blob '", name, "' belongs to no constant");
}

BlobRef WeightsReader::constant(const Tensor& tensor, const YamlNode& where) {
  const Entry& entry = take(tensor.name, where);
  const uint64_t bytes = tensor.bytes();
  if (entry.bytes && *entry.bytes != bytes)
    reader_.fail(DiagId::BadWeights, *entry.node, "blob '", tensor.name, "' has ", *entry.bytes,
                 " bytes, its tensor ", dtypeName(tensor.type), " ", tensor.shape.str(), " needs ",
                 bytes);
  return load(tensor.name, entry, tensor.type, bytes);
}

BlobRef WeightsReader::array(const YamlNode& reference, DType type) {
  const std::string name = reader_.name(reference, "name of a blob");
  const Entry& entry = take(name, reference);
  uint64_t bytes = 0;
  if (entry.values != nullptr)
    bytes = reader_.list(*entry.values, "values").size() * dtypeSize(type);
  else if (entry.bytes && *entry.bytes % dtypeSize(type) == 0 && *entry.bytes <= text_->size())
    bytes = *entry.bytes;
  else
    reader_.fail(DiagId::BadWeights, *entry.node, "blob '", name, "' is not an array of ",
                 dtypeName(type));
  if (entry.fill != nullptr)
    reader_.fail(DiagId::BadWeights, *entry.node, "blob '", name,
                 "' is a quantization array, which cannot be a pattern");
  return load(name, entry, type, bytes);
}

std::vector<float> WeightsReader::scales(const YamlNode& reference) {
  return array(reference, DType::Float32)->values<float>();
}
std::vector<int32_t> WeightsReader::zeroPoints(const YamlNode& reference) {
  return array(reference, DType::Int32)->values<int32_t>();
}

BlobRef WeightsReader::load(const std::string& name, const Entry& entry, DType type,
                            uint64_t bytes) {
  if (entry.values != nullptr)
    return loadValues(name, entry, type, bytes);
  if (entry.fill != nullptr)
    return loadFill(name, entry, type, bytes);
  if (entry.file != nullptr)
    return loadFile(name, entry, bytes);
  return loadData(name, entry, bytes);
}

BlobRef WeightsReader::loadValues(const std::string& name, const Entry& entry, DType type,
                                  uint64_t bytes) const {
  const std::vector<YamlNode>& items = reader_.list(*entry.values, "values");
  if (items.size() * dtypeSize(type) != bytes)
    reader_.fail(DiagId::BadWeights, *entry.values, "blob '", name, "' has ", items.size(),
                 " values, its tensor has ", bytes / dtypeSize(type), " elements");
  if (type == DType::Float16)
    reader_.fail(DiagId::BadValue, *entry.values, "blob '", name,
                 "': values cannot spell float16; use data");
  std::vector<uint8_t> raw;
  for (const YamlNode& item : items) {
    if (type == DType::Float32) {
      append(raw, reader_.real<float>(item, "value"));
      continue;
    }
    if (type == DType::Float64) {
      append(raw, reader_.real<double>(item, "value"));
      continue;
    }
    const int64_t value = reader_.integer(item, "value", dtypeMin(type), dtypeMax(type));
    // Two's complement, little-endian: the low bytes are the narrow value.
    const auto* first = reinterpret_cast<const uint8_t*>(&value);
    raw.insert(raw.end(), first, first + dtypeSize(type));
  }
  return makeBlob(std::move(raw));
}

BlobRef WeightsReader::loadFill(const std::string& name, const Entry& entry, DType type,
                                uint64_t bytes) const {
  const auto [seed, amplitude] =
      reader_.fields(*entry.fill, "fill", std::array<std::string_view, 2>{"seed", "amplitude"});
  if (!Pattern::supports(type))
    reader_.fail(DiagId::BadValue, *entry.fill, "blob '", name, "': a pattern cannot be ",
                 dtypeName(type), "; only float32, int8 and int32");
  if (bytes > MaxPatternBytes)
    reader_.fail(DiagId::BadWeights, *entry.fill, "blob '", name, "': a pattern of ", bytes,
                 " bytes, at most ", MaxPatternBytes, " are allowed");
  Pattern pattern;
  pattern.type = type;
  pattern.seed = static_cast<uint32_t>(
      reader_.integer(reader_.required(seed, *entry.fill, "fill", "seed"), "seed", 0, UINT32_MAX));
  const YamlNode& limit = reader_.required(amplitude, *entry.fill, "fill", "amplitude");
  pattern.amplitude = reader_.real<float>(limit, "amplitude");
  const bool fits = type == DType::Float32
                        ? std::isfinite(pattern.amplitude)
                        : pattern.amplitude == std::floor(pattern.amplitude) &&
                              pattern.amplitude < static_cast<float>(dtypeMax(type)) + 1.0F;
  if (!fits || pattern.amplitude < 0)
    reader_.fail(DiagId::BadValue, limit, "amplitude ", limit.text, " is not valid for ",
                 dtypeName(type));
  auto source = std::make_shared<PatternSource>(name, pattern);
  if (!entry.crc)
    return makeBlob(pattern.generate(bytes));
  return std::make_shared<const Blob>(bytes, *entry.crc, std::move(source));
}

uint64_t WeightsReader::sideFileSize(const YamlNode& where, const std::string& path) {
  if (const auto known = sideFiles_.find(path); known != sideFiles_.end())
    return known->second;
  const Expected<SideFile> file = SideFile::open(path);
  if (!file)
    reader_.fail(DiagId::IoError, where, "weights file: ", file.error().message());
  return sideFiles_[path] = file->size();
}

BlobRef WeightsReader::loadFile(const std::string& name, const Entry& entry, uint64_t bytes) {
  if (!entry.bytes || !entry.crc)
    reader_.fail(DiagId::BadValue, *entry.node, "blob '", name,
                 "': bytes and crc32 must be given with file");
  namespace fs = std::filesystem;
  const fs::path spelled = reader_.name(*entry.file, "file");
  const fs::path directory = fs::path(reader_.fileName()).parent_path();
  const std::string path =
      (spelled.is_absolute() ? spelled : (directory / spelled).lexically_normal()).string();
  const uint64_t size = sideFileSize(*entry.file, path);
  if (entry.offset > size || bytes > size - entry.offset)
    reader_.fail(DiagId::BadWeights, *entry.file, "weights file '", path, "' has ", size,
                 " bytes, blob '", name, "' needs ", bytes, " bytes at ", entry.offset);
  return std::make_shared<const Blob>(
      bytes, *entry.crc,
      std::make_shared<FileSource>(name, path, spelled.is_absolute(), entry.offset));
}

BlobRef WeightsReader::loadData(const std::string& name, const Entry& entry, uint64_t bytes) const {
  if (entry.block && entry.crc) {
    return std::make_shared<const Blob>(
        bytes, *entry.crc,
        std::make_shared<TextSource>(name, text_, *entry.block, entry.canonical));
  }
  // The strings of the general parser do not outlive reading, so this data is decoded now.
  if (entry.data != nullptr && entry.data->kind != YamlNode::Kind::Scalar)
    reader_.fail(DiagId::BadValue, *entry.data, "blob '", name, "': data must be base64 text, not ",
                 describeNode(*entry.data));
  TIGRIS_CHECK(entry.block || entry.data != nullptr);
  const std::string_view encoded = entry.block ? *entry.block : entry.data->text;
  checkLength(entry, encoded, bytes);
  auto decoded = decodeBase64(encoded, bytes);
  if (!decoded)
    reader_.fail(DiagId::BadWeights, *entry.node, "blob '", name, "' is damaged: not base64 of ",
                 bytes, " bytes");
  BlobRef blob = makeBlob(std::move(*decoded));
  if (entry.crc && blob->crc() != *entry.crc)
    reader_.fail(DiagId::BadWeights, *entry.node, "blob '", name,
                 "' is damaged: its bytes do not have the crc32 given");
  return blob;
}

} // namespace tigris
