// Lays out the sections and writes header and directory.
#include "tigris/Emit/PlanImage.h"

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

struct Section {
  uint32_t type;
  std::string_view bytes;
  size_t count;
};

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

uint32_t PlanImage::string(std::string_view text) {
  if (text.empty())
    return TIGRIS_NONE;
  std::string terminated(text);
  // a name cannot contain a NUL, which would end it
  std::replace(terminated.begin(), terminated.end(), '\0', '?');
  terminated += '\0';
  return static_cast<uint32_t>(strings_.add(terminated, 1));
}

uint32_t PlanImage::ints(std::span<const int32_t> values) {
  if (values.empty())
    return 0;
  return static_cast<uint32_t>(ints_.add(bytesOf(values), sizeof(int32_t)) / sizeof(int32_t));
}

uint32_t PlanImage::quant(const Quant& quant) {
  const auto same = [&](const tigris_quant& q) {
    return q.scale == quant.scale && q.zero_point == quant.zeroPoint;
  };
  const auto found = std::find_if(quants_.begin(), quants_.end(), same);
  const auto index = static_cast<uint32_t>(found - quants_.begin());
  if (found == quants_.end())
    quants_.push_back({quant.scale, quant.zeroPoint});
  return index;
}

uint32_t PlanImage::requant(std::span<const Multiplier> multipliers) {
  std::vector<int32_t> values;
  values.reserve(multipliers.size() * 2);
  for (const Multiplier& m : multipliers)
    values.push_back(m.multiplier);
  for (const Multiplier& m : multipliers)
    values.push_back(m.shift);
  return static_cast<uint32_t>(requant_.add(bytesOf(values), sizeof(int32_t)) / sizeof(int32_t));
}

uint32_t PlanImage::requant(std::span<const EvenScale> scales) {
  std::vector<int32_t> values;
  const auto append = [&](auto&& part) {
    for (const EvenScale& scale : scales)
      values.push_back(static_cast<int32_t>(part(scale)));
  };
  append([](const EvenScale& s) { return s.numerator; });
  append([](const EvenScale& s) { return s.denominator; });
  append([](const EvenScale& s) { return static_cast<uint32_t>(static_cast<uint64_t>(s.offset)); });
  append([](const EvenScale& s) { return s.offset >> 32; });
  return static_cast<uint32_t>(requant_.add(bytesOf(values), sizeof(int32_t)) / sizeof(int32_t));
}

uint32_t PlanImage::weights(std::span<const uint8_t> bytes) {
  return static_cast<uint32_t>(weights_.add(bytesOf(bytes), TIGRIS_WEIGHT_ALIGN));
}

uint16_t PlanImage::tensor(const tigris_tensor& record) {
  const std::string key(reinterpret_cast<const char*>(&record), sizeof record);
  const auto [entry, isNew] = tensorIndex_.emplace(key, static_cast<uint16_t>(tensors_.size()));
  if (isNew)
    tensors_.push_back(record);
  return entry->second;
}

uint32_t PlanImage::operands(std::span<const tigris_operand> records) {
  const auto first = static_cast<uint32_t>(operands_.size());
  operands_.insert(operands_.end(), records.begin(), records.end());
  return first;
}

uint32_t PlanImage::tiling(tigris_tiling record, std::span<const tigris_tile_buffer> buffers) {
  record.first_buffer = static_cast<uint32_t>(tileBuffers_.size());
  record.buffer_count = static_cast<uint32_t>(buffers.size());
  tileBuffers_.insert(tileBuffers_.end(), buffers.begin(), buffers.end());
  tilings_.push_back(record);
  return static_cast<uint32_t>(tilings_.size() - 1);
}

Expected<std::string> PlanImage::finish(tigris_summary summary, std::string* weights) const {
  static_assert(MaxPlanTensors == TIGRIS_NO_TENSOR - 1U);
  if (tensors_.size() > MaxPlanTensors)
    return makeError(DiagId::UnsupportedOp, "the plan has ", tensors_.size(),
                     " tensors, the format supports at most ", MaxPlanTensors);
  summary.weight_bytes = static_cast<uint32_t>(weights_.payload());
  std::string_view weightSection = weights_.bytes();
  if (weights != nullptr) {
    *weights = weights_.bytes();
    weightSection = {};
    summary.flags |= TIGRIS_SUMMARY_EXTERNAL;
    summary.weights_crc = crc32(weights->data(), weights->size());
  }
  std::vector<Section> sections = {
      {TIGRIS_SECTION_SUMMARY, {reinterpret_cast<const char*>(&summary), sizeof summary}, 1},
      {TIGRIS_SECTION_STRINGS, strings_.bytes(), strings_.bytes().size()},
      {TIGRIS_SECTION_INTS, ints_.bytes(), ints_.bytes().size() / sizeof(int32_t)},
      {TIGRIS_SECTION_QUANT, bytesOf(quants_), quants_.size()},
      {TIGRIS_SECTION_REQUANT, requant_.bytes(), requant_.bytes().size() / sizeof(int32_t)},
      {TIGRIS_SECTION_TENSORS, bytesOf(tensors_), tensors_.size()},
      {TIGRIS_SECTION_PORTS, bytesOf(ports_), ports_.size()},
      {TIGRIS_SECTION_OPERANDS, bytesOf(operands_), operands_.size()},
      {TIGRIS_SECTION_PARAMS, params_.bytes(), params_.bytes().size()},
      {TIGRIS_SECTION_OPS, bytesOf(ops_), ops_.size()},
      {TIGRIS_SECTION_TRANSFERS, bytesOf(transfers_), transfers_.size()},
      {TIGRIS_SECTION_STAGES, bytesOf(stages_), stages_.size()},
      {TIGRIS_SECTION_WEIGHTS, weightSection, weightSection.size()},
      {TIGRIS_SECTION_TILINGS, bytesOf(tilings_), tilings_.size()},
      {TIGRIS_SECTION_TILE_BUFFERS, bytesOf(tileBuffers_), tileBuffers_.size()},
      {TIGRIS_SECTION_BLOCKS, bytesOf(weightBlocks_), weightBlocks_.size()},
  };
  if (!stageStats_.empty())
    sections.push_back({TIGRIS_SECTION_STAGE_STATS, bytesOf(stageStats_), stageStats_.size()});

  std::vector<tigris_section> directory;
  uint64_t end = sizeof(tigris_header) + sections.size() * sizeof(tigris_section);
  for (const Section& section : sections) {
    const uint64_t offset = alignUp(end, TIGRIS_SECTION_ALIGN);
    end = offset + section.bytes.size();
    if (end > MaxFileBytes)
      return makeError(DiagId::UnsupportedOp, "the plan has more than ", MaxFileBytes,
                       " bytes, which the format cannot address");
    directory.push_back({section.type, static_cast<uint32_t>(offset),
                         static_cast<uint32_t>(section.bytes.size()),
                         static_cast<uint32_t>(section.count)});
  }
  // The last section is padded, too, so that plans can be placed one after another in flash.
  end = alignUp(end, TIGRIS_SECTION_ALIGN);
  summary.flash_bytes = static_cast<uint32_t>(end);

  std::string file(end, '\0');
  for (size_t i = 0; i < sections.size(); ++i)
    if (!sections[i].bytes.empty())
      std::memcpy(file.data() + directory[i].offset, sections[i].bytes.data(),
                  sections[i].bytes.size());
  std::memcpy(file.data() + sizeof(tigris_header), directory.data(),
              directory.size() * sizeof(tigris_section));
  tigris_header header = {};
  std::memcpy(header.magic, "TGRS", sizeof header.magic);
  header.version = TIGRIS_FORMAT_VERSION;
  header.header_size = sizeof header;
  header.file_size = static_cast<uint32_t>(end);
  header.section_count = static_cast<uint32_t>(sections.size());
  std::memcpy(file.data(), &header, sizeof header);
  constexpr size_t CrcStart = 16;
  header.crc32 = crc32(file.data() + CrcStart, file.size() - CrcStart);
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

} // namespace tigris
