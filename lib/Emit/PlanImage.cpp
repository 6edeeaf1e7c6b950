// Lays out the sections and writes header and directory.
#include "tigris/Emit/PlanImage.h"

#include "tigris/Emit/Lz4Block.h"
#include "tigris/IR/FormatLimits.h"
#include "tigris/Support/Crc32.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace tigris {

static_assert(std::endian::native == std::endian::little,
              "records are written in their memory layout, which is the order of the file");

namespace {

/// The maximum file size: offsets have 32 bits, and the runtime adds them without overflow.
constexpr uint64_t MaxFileBytes = INT32_MAX;

template <typename T> std::string_view bytesOf(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}
template <typename T> std::string_view bytesOf(const std::vector<T>& values) {
  return bytesOf(std::span<const T>(values));
}

/// With a NUL at the end, and none before it.
std::string terminated(std::string_view text) {
  std::string result(text);
  std::replace(result.begin(), result.end(), '\0', '?');
  return result + '\0';
}

/// The contents of a section for tools; empty for no bytes.
std::string packed(std::string_view bytes) {
  if (bytes.empty())
    return {};
  const auto size = static_cast<uint32_t>(bytes.size());
  return std::string(bytesOf(std::span(&size, 1))) + lz4Block(bytes);
}

} // namespace

uint64_t BytePool::add(std::string_view bytes, size_t align) {
  const size_t hash = std::hash<std::string_view>()(bytes);
  const auto [first, last] = entries_.equal_range(hash);
  for (auto at = first; at != last; ++at)
    if (at->second.size == bytes.size() && at->second.offset % align == 0 &&
        std::memcmp(bytes_.data() + at->second.offset, bytes.data(), bytes.size()) == 0)
      return at->second.offset;
  bytes_.resize(alignUp(bytes_.size(), align), '\0');
  const size_t offset = bytes_.size();
  bytes_ += bytes;
  payload_ += bytes.size();
  entries_.emplace(hash, Entry{offset, bytes.size()});
  return offset;
}

uint64_t BytePool::addPart(std::string_view words) {
  constexpr size_t Word = sizeof(uint32_t);
  constexpr size_t Searched = 1 << 14; // bounds the work
  const std::string_view pool = std::string_view(bytes_).substr(0, Searched);
  for (size_t at = pool.find(words); at != std::string_view::npos; at = pool.find(words, at + 1))
    if (at % Word == 0)
      return at;
  size_t shared = std::min(bytes_.size(), words.size());
  while (!bytes_.ends_with(words.substr(0, shared)))
    shared -= Word;
  const uint64_t at = bytes_.size() - shared;
  bytes_ += words.substr(shared);
  return at;
}

uint32_t PlanImage::string(std::string_view text) {
  if (text.empty())
    return TIGRIS_NONE;
  return static_cast<uint32_t>(strings_.add(terminated(text), 1));
}

uint32_t PlanImage::ints(std::span<const int32_t> values) {
  if (values.empty())
    return 0;
  // Dimensions often are the last or first ones of others.
  return static_cast<uint32_t>(ints_.addPart(bytesOf(values)) / sizeof(int32_t));
}

uint16_t PlanImage::params(std::string_view bytes) {
  return index("PARAMS", params_.addPart(bytes) / sizeof(uint32_t));
}

uint16_t PlanImage::index(const char* table, uint64_t value) {
  if (value >= UINT16_MAX && full_ == nullptr)
    full_ = table;
  return static_cast<uint16_t>(value);
}

uint16_t PlanImage::quant(const Quant& quant) {
  const auto same = [&](const tigris_quant& q) {
    return q.scale == quant.scale && q.zero_point == quant.zeroPoint;
  };
  const auto found = std::find_if(quants_.begin(), quants_.end(), same);
  const uint16_t result = index("QUANT", static_cast<uint64_t>(found - quants_.begin()));
  if (found == quants_.end())
    quants_.push_back({quant.scale, quant.zeroPoint});
  return result;
}

uint32_t PlanImage::requant(std::span<const Multiplier> multipliers) {
  std::vector<int32_t> values;
  values.reserve(multipliers.size() * 2);
  for (const Multiplier& m : multipliers)
    values.push_back(m.multiplier);
  for (const Multiplier& m : multipliers)
    values.push_back(m.shift);
  return requant(bytesOf(values));
}

uint32_t PlanImage::requant(std::string_view bytes) {
  std::string words(bytes); // what follows begins with a word
  words.resize(alignUp(words.size(), sizeof(int32_t)), '\0');
  return static_cast<uint32_t>(requant_.add(words, sizeof(int32_t)) / sizeof(int32_t));
}

uint32_t PlanImage::weights(std::span<const uint8_t> bytes, std::string_view name) {
  const auto offset = static_cast<uint32_t>(weights_.add(bytesOf(bytes), TIGRIS_WEIGHT_ALIGN));
  weightNames_.emplace(offset, name);
  return offset;
}

uint16_t PlanImage::constant(const tigris_tensor& record) {
  const std::string key(reinterpret_cast<const char*>(&record), sizeof record);
  const auto [entry, isNew] = constantIndex_.emplace(key, static_cast<uint16_t>(tensors_.size()));
  if (isNew)
    tensors_.push_back(record);
  return entry->second;
}

uint16_t PlanImage::activation(const tigris_tensor& record, std::string_view name) {
  tensors_.push_back(record);
  activationNames_ += terminated(name);
  return static_cast<uint16_t>(tensors_.size() - 1);
}

void PlanImage::op(const tigris_op& record, std::string_view name) {
  ops_.push_back(record);
  opNames_ += terminated(name);
}

uint16_t PlanImage::operands(std::span<const tigris_operand> records) {
  size_t shared = std::min(operands_.size(), records.size());
  while (!bytesOf(operands_).ends_with(bytesOf(records.first(shared))) ||
         std::any_of(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(shared),
                     [](const tigris_operand& operand) {
                       return operand.pool == TIGRIS_POOL_CONST; // may move with its op
                     }))
    --shared;
  const size_t first = operands_.size() - shared;
  for (const tigris_operand& operand : records.subspan(shared)) {
    operands_.push_back(operand);
    if (operand.pool == TIGRIS_POOL_CONST)
      constantNames_ += terminated(weightNames_.at(operand.offset));
  }
  return index("OPERANDS", first);
}

std::string PlanImage::names() const {
  const std::string all = activationNames_ + opNames_ + constantNames_;
  return all.find_first_not_of('\0') == std::string::npos ? std::string() : packed(all);
}

uint16_t PlanImage::tiling(tigris_tiling record, std::span<const tigris_tile_buffer> buffers) {
  record.first_buffer = index("TILE_BUFFERS", tileBuffers_.size());
  record.buffer_count = static_cast<uint16_t>(buffers.size());
  tileBuffers_.insert(tileBuffers_.end(), buffers.begin(), buffers.end());
  index("TILE_BUFFERS", tileBuffers_.size());
  tilings_.push_back(record);
  return index("TILINGS", tilings_.size() - 1);
}

Expected<std::string> PlanImage::finish(PlanSummary summary, bool strip,
                                        std::string* weights) const {
  static_assert(MaxPlanTensors == TIGRIS_NO_TENSOR - 1U);
  if (tensors_.size() > MaxPlanTensors)
    return makeError(DiagId::UnsupportedOp, "the plan has ", tensors_.size(),
                     " tensors, the format supports at most ", MaxPlanTensors);
  if (full_ != nullptr)
    return makeError(DiagId::UnsupportedOp, "the plan needs ", UINT16_MAX,
                     " or more entries in the table ", full_, ", which the format cannot number");
  static_assert(sizeof summary == sizeof summary.needs + sizeof summary.figures);
  summary.figures.weight_bytes = static_cast<uint32_t>(weights_.payload());
  std::string_view weightSection = weights_.bytes();
  if (weights != nullptr) {
    *weights = weights_.bytes();
    weightSection = {};
    summary.needs.flags = static_cast<uint8_t>(summary.needs.flags | TIGRIS_SUMMARY_EXTERNAL);
    summary.needs.weights_crc = crc32(weights->data(), weights->size());
  }
  const std::string stats = strip ? std::string() : packed(bytesOf(stageStats_));
  const std::string names = this->names();
  const std::string_view sections[] = {
      {reinterpret_cast<const char*>(&summary), strip ? sizeof summary.needs : sizeof summary},
      strings_.bytes(),
      ints_.bytes(),
      bytesOf(quants_),
      requant_.bytes(),
      bytesOf(tensors_),
      bytesOf(ports_),
      bytesOf(operands_),
      params_.bytes(),
      bytesOf(ops_),
      bytesOf(transfers_),
      bytesOf(stages_),
      weightSection,
      bytesOf(tilings_),
      bytesOf(tileBuffers_),
      bytesOf(weightBlocks_),
      stats,
      names,
  };
  static_assert(std::size(sections) == TIGRIS_SECTION_NAMES);
  size_t count = std::size(sections);
  while (sections[count - 1].empty())
    --count;

  std::vector<uint32_t> directory;
  std::vector<uint64_t> offsets;
  uint64_t end = sizeof(tigris_header) + count * sizeof(uint32_t);
  for (size_t i = 0; i < count; ++i) {
    offsets.push_back(sections[i].empty() ? end : alignUp(end, TIGRIS_SECTION_ALIGN(i + 1)));
    end = offsets.back() + sections[i].size();
    if (end > MaxFileBytes)
      return makeError(DiagId::UnsupportedOp, "the plan has more than ", MaxFileBytes,
                       " bytes, which the format cannot address");
    directory.push_back(static_cast<uint32_t>(sections[i].size()));
  }
  end = alignUp(end, sizeof(uint32_t));

  std::string file(end, '\0');
  for (size_t i = 0; i < count; ++i)
    std::copy(sections[i].begin(), sections[i].end(),
              file.begin() + static_cast<std::ptrdiff_t>(offsets[i]));
  std::memcpy(file.data() + sizeof(tigris_header), directory.data(),
              directory.size() * sizeof(uint32_t));
  tigris_header header = {};
  std::memcpy(header.magic, "TGRS", sizeof header.magic);
  header.version = TIGRIS_FORMAT_VERSION;
  header.header_size = sizeof header;
  header.file_size = static_cast<uint32_t>(end);
  header.section_count = static_cast<uint32_t>(count);
  std::memcpy(file.data(), &header, sizeof header);
  constexpr size_t CrcStart = 16;
  header.crc32 = crc32(file.data() + CrcStart, file.size() - CrcStart);
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

} // namespace tigris
