// Checks header and directory itself, to report the offset of errors; the runtime's validator does
// the rest.
#include "tigris/Inspect/PlanFile.h"

#include "tigris/Support/Crc32.h"
#include "tigris/Support/FileKind.h"

#include <lz4.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

namespace tigris {

namespace {

struct Hex {
  size_t value;
};
std::ostream& operator<<(std::ostream& out, Hex hex) {
  const auto flags = out.flags();
  out << "0x" << std::hex << hex.value;
  out.flags(flags);
  return out;
}

constexpr std::align_val_t PlanAlign{TIGRIS_PLAN_ALIGN};

template <typename... Args>
Error badPlan(const std::string& name, size_t offset, const Args&... text) {
  return makeError(DiagId::BadPlan, "offset ", Hex{offset}, ": ", text...).at({name, 0, 0});
}

/// Checks for which the runtime returns only a status, reported here with offsets.
Status checkFrame(std::string_view bytes, const std::string& name, bool ignoreCrc) {
  if (bytes.empty())
    return emptyInput(name);
  if (!looksLikePlan(bytes)) {
    const FileKind* kind = recognizeFile(bytes);
    Error error = kind != nullptr ? notThisKind(DiagId::BadPlan, "a .tgrs plan", *kind)
                                  : makeError(DiagId::BadPlan,
                                              "not a .tgrs plan: it does not begin with 'TGRS'; "
                                              "tigris-emit creates one from a planned module");
    return std::move(error).at({name, 0, 0});
  }
  tigris_header header{};
  if (bytes.size() < sizeof header)
    return badPlan(name, bytes.size(), "the file ends inside its header of ", sizeof header,
                   " bytes");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != TIGRIS_FORMAT_VERSION)
    return makeError(DiagId::BadVersion, "offset ", Hex{offsetof(tigris_header, version)},
                     ": the plan has format version ", header.version, ", this tool reads ",
                     TIGRIS_FORMAT_VERSION)
        .at({name, 0, 0});
  if (header.file_size > bytes.size())
    return badPlan(name, bytes.size(), "the file is truncated: its header announces ",
                   header.file_size, " bytes, it has ", bytes.size());
  if (header.file_size < sizeof header || header.header_size < sizeof header ||
      header.header_size > header.file_size)
    return badPlan(name, offsetof(tigris_header, header_size), "header size ", header.header_size,
                   " and file size ", header.file_size, " are impossible");
  constexpr size_t CrcStart = 16;
  const uint32_t actual = crc32(bytes.data() + CrcStart, header.file_size - CrcStart);
  if (!ignoreCrc && actual != header.crc32)
    return badPlan(name, offsetof(tigris_header, crc32), "the checksum is ", Hex{header.crc32},
                   " but the bytes give ", Hex{actual}, ": the file is damaged");
  const uint64_t directoryEnd =
      header.header_size + uint64_t{header.section_count} * sizeof(uint32_t);
  if (directoryEnd > header.file_size)
    return badPlan(name, offsetof(tigris_header, section_count), header.section_count,
                   " sections do not fit into ", header.file_size, " bytes");
  for (const PlanSection& section : planSections(bytes))
    if (section.offset + section.length > header.file_size)
      return badPlan(name, header.header_size + (section.type - 1) * sizeof(uint32_t), "section ",
                     section.type, " reaches from ", Hex{section.offset}, " to ",
                     Hex{section.offset + section.length}, ", the file ends at ",
                     Hex{header.file_size});
  return {};
}

/// Empty if the file does not list it.
PlanSection findSection(std::string_view bytes, uint32_t type) {
  const std::vector<PlanSection> sections = planSections(bytes);
  return type <= sections.size() ? sections[type - 1] : PlanSection{type, sizeof(tigris_header), 0};
}

bool isConstant(const tigris_operand& operand) {
  return operand.pool == TIGRIS_POOL_CONST || operand.pool == TIGRIS_POOL_UNPACKED;
}

/// The contents of a packed section; nothing if they are damaged.
std::optional<std::string> unpacked(std::string_view section) {
  constexpr uint64_t MostRatio = 255; // of LZ4
  uint32_t size = 0;
  if (section.size() < sizeof size)
    return std::nullopt;
  std::memcpy(&size, section.data(), sizeof size);
  const std::string_view packed = section.substr(sizeof size);
  if (size > INT32_MAX || size > packed.size() * MostRatio)
    return std::nullopt;
  std::string content(size, '\0');
  const int read = LZ4_decompress_safe(packed.data(), content.data(),
                                       static_cast<int>(packed.size()), static_cast<int>(size));
  return read == static_cast<int>(size) ? std::optional(std::move(content)) : std::nullopt;
}

/// A member of the stages' stats, which adds up to one of the summary.
struct StageSum {
  const char* name;
  uint64_t tigris_stage_stats::*part;
  uint64_t total;
};

/// Whether the parts add up to the total; no sum overflows.
bool addsUp(std::span<const tigris_stage_stats> stats, const StageSum& sum) {
  uint64_t rest = sum.total;
  for (const tigris_stage_stats& stage : stats) {
    if (stage.*sum.part > rest)
      return false;
    rest -= stage.*sum.part;
  }
  return rest == 0;
}

} // namespace

std::string_view PlanFile::target() const {
  return summary().target == TIGRIS_NONE ? TIGRIS_DEFAULT_TARGET : string(summary().target);
}

Status PlanFile::readFigures(const std::string& name) {
  const std::string_view bytes(reinterpret_cast<const char*>(bytes_.get()), size_);
  const PlanSection section = findSection(bytes, TIGRIS_SECTION_SUMMARY);
  if (section.length < sizeof(tigris_summary) + sizeof(tigris_figures))
    return {};
  const auto* figures = reinterpret_cast<const tigris_figures*>(plan_->summary + 1);
  const auto fail = [&](const auto&... text) {
    return badPlan(name, offsetOf(figures), "SUMMARY has ", text...);
  };
  for (const uint32_t text :
       {figures->planner, figures->optimize, figures->producer, figures->bound_class})
    if (text != TIGRIS_NONE && text >= plan_->string_bytes)
      return fail("a string at ", text, ", STRINGS has ", plan_->string_bytes, " bytes");
  if (figures->fast_peak > summary().fast_bytes || figures->slow_peak > summary().slow_bytes)
    return fail("a higher peak than the memory that the plan needs");
  if (summary().fast_bytes + uint64_t{summary().scratch_bytes} > figures->budget_fast ||
      summary().slow_bytes > figures->budget_slow || size_ > figures->budget_flash)
    return fail("a budget that the plan exceeds");
  figures_ = figures;
  return {};
}

Status PlanFile::readStageStats(const std::string& name) {
  const std::string_view bytes(reinterpret_cast<const char*>(bytes_.get()), size_);
  const PlanSection section = findSection(bytes, TIGRIS_SECTION_STAGE_STATS);
  if (section.length == 0)
    return {};
  const auto fail = [&](const auto&... text) {
    return badPlan(name, section.offset, "STAGE_STATS ", text...);
  };
  if (figures_ == nullptr)
    return fail("needs the figures of SUMMARY, which are missing");
  const std::optional<std::string> content = unpacked(bytes.substr(section.offset, section.length));
  if (!content)
    return fail("is damaged");
  if (content->size() != stages().size() * sizeof(tigris_stage_stats))
    return fail("has ", content->size(), " bytes, the plan has ", stages().size(), " stages of ",
                sizeof(tigris_stage_stats));
  std::vector<tigris_stage_stats> stats(stages().size());
  std::copy_n(content->data(), content->size(), reinterpret_cast<char*>(stats.data()));
  for (const StageSum& sum :
       {StageSum{"slow_read", &tigris_stage_stats::slow_read, figures_->slow_read},
        StageSum{"slow_write", &tigris_stage_stats::slow_write, figures_->slow_write},
        StageSum{"kernel_calls", &tigris_stage_stats::kernel_calls, figures_->kernel_calls},
        StageSum{"recompute_macs", &tigris_stage_stats::recompute_macs, figures_->recompute_macs}})
    if (!addsUp(stats, sum))
      return fail("does not add up to the summary's ", sum.name, " of ", sum.total);
  for (size_t i = 0; i < stats.size(); ++i)
    if (stats[i].peak > summary().fast_bytes)
      return fail("has a peak of ", stats[i].peak, " bytes in stage ", i);
    else if (stats[i].halo_rows > (stages()[i].mode == TIGRIS_STAGE_TILED ? INT32_MAX : 0))
      return fail("has ", stats[i].halo_rows, " halo rows in stage ", i);
  stageStats_ = std::move(stats);
  return {};
}

Status PlanFile::readNames(const std::string& name) {
  const std::string_view bytes(reinterpret_cast<const char*>(bytes_.get()), size_);
  const PlanSection section = findSection(bytes, TIGRIS_SECTION_NAMES);
  if (section.length == 0)
    return {};
  const auto fail = [&] { return badPlan(name, section.offset, "NAMES is damaged"); };
  const std::optional<std::string> names = unpacked(bytes.substr(section.offset, section.length));
  if (!names)
    return fail();
  size_t at = 0;
  const auto take = [&](std::vector<std::string>& list, size_t count, const auto& isNamed) {
    list.resize(count);
    for (size_t i = 0; i < count; ++i) {
      if (!isNamed(i))
        continue;
      const size_t end = names->find('\0', at);
      if (end == std::string::npos)
        return false;
      list[i] = names->substr(at, end - at);
      at = end + 1;
    }
    return true;
  };
  const bool complete =
      take(tensorNames_, plan_->tensor_count,
           [&](size_t i) { return (tensor(i).flags & TIGRIS_TENSOR_CONST) == 0; }) &&
      take(opNames_, plan_->op_count, [](size_t) { return true; }) &&
      take(constantNames_, plan_->operand_count,
           [&](size_t i) { return isConstant(plan_->operands[i]); });
  return complete && at == names->size() ? Status() : fail();
}

uint32_t PlanFile::opCount(const tigris_stage& stage) const {
  const bool isLast = &stage == &stages().back();
  return (isLast ? plan_->op_count : (&stage)[1].first_op) - uint32_t{stage.first_op};
}

std::span<const tigris_transfer> PlanFile::loads(const tigris_stage& stage) const {
  const size_t count = stage.mode == TIGRIS_STAGE_WHOLE ? stage.detail : 0;
  return {plan_->transfers + stage.first_transfer, count};
}

std::span<const tigris_transfer> PlanFile::spills(const tigris_stage& stage) const {
  const bool isLast = &stage == &stages().back();
  const size_t end = isLast ? plan_->transfer_count : (&stage)[1].first_transfer;
  const size_t first = stage.first_transfer + loads(stage).size();
  return {plan_->transfers + first, end - first};
}

std::string_view PlanFile::operandName(const tigris_operand& operand) const {
  if (isConstant(operand))
    return nameAt(constantNames_, static_cast<size_t>(&operand - plan_->operands));
  return tensorName(operand.tensor);
}

std::vector<PlanSection> planSections(std::string_view bytes) {
  std::vector<PlanSection> sections;
  tigris_header header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  uint64_t end = header.header_size + uint64_t{header.section_count} * sizeof(uint32_t);
  for (uint32_t type = 1; type <= header.section_count; ++type) {
    const uint64_t at = header.header_size + uint64_t{type - 1} * sizeof(uint32_t);
    uint32_t length = 0;
    if (at + sizeof length > bytes.size())
      break;
    std::memcpy(&length, bytes.data() + at, sizeof length);
    const uint64_t align = TIGRIS_SECTION_ALIGN(type);
    const uint64_t offset = length == 0 ? end : (end + align - 1) / align * align;
    sections.push_back({type, offset, length});
    end = offset + length;
  }
  return sections;
}

void PlanFile::Free::operator()(unsigned char* bytes) const { ::operator delete(bytes, PlanAlign); }

bool looksLikePlan(std::string_view bytes) { return bytes.starts_with("TGRS"); }

Expected<PlanFile> PlanFile::open(std::string_view bytes, const std::string& name, bool ignoreCrc) {
  if (Status status = checkFrame(bytes, name, ignoreCrc); !status)
    return status.takeError();
  PlanFile file;
  file.bytes_.reset(static_cast<unsigned char*>(::operator new(bytes.size(), PlanAlign)));
  std::memcpy(file.bytes_.get(), bytes.data(), bytes.size());
  file.plan_ = std::make_unique<tigris_plan>();
  const tigris_status status = tigris_plan_open_flags(
      file.plan_.get(), file.bytes_.get(), bytes.size(), ignoreCrc ? TIGRIS_OPEN_IGNORE_CRC : 0);
  if (status != TIGRIS_OK) {
    const uint32_t op = file.plan_->error_op;
    const std::string reason = strCat(tigris_status_text(status), " (", int{status}, ")");
    if (op != TIGRIS_NONE)
      return badPlan(name, findSection(bytes, TIGRIS_SECTION_OPS).offset + op * sizeof(tigris_op),
                     "op ", op, ": ", reason);
    const uint32_t section = status == TIGRIS_E_TENSOR   ? TIGRIS_SECTION_TENSORS
                             : status == TIGRIS_E_FORMAT ? TIGRIS_SECTION_SUMMARY
                                                         : TIGRIS_SECTION_STAGES;
    return badPlan(name, findSection(bytes, section).offset, reason);
  }
  file.size_ = file.plan_->file_size;
  std::memcpy(&file.version_, file.bytes_.get() + offsetof(tigris_header, version),
              sizeof file.version_);
  if (Status figures = file.readFigures(name); !figures)
    return figures.takeError();
  if (Status stats = file.readStageStats(name); !stats)
    return stats.takeError();
  if (Status names = file.readNames(name); !names)
    return names.takeError();
  return file;
}

std::string opcodeName(unsigned opcode) {
  switch (opcode) {
#define TIGRIS_OPCODE(name, number, ...)                                                           \
  case number:                                                                                     \
    return #name;
#include "tigris_opcodes.def"
  default:
    return strCat("opcode ", opcode);
  }
}

std::string planModeName(uint64_t mode) {
  static constexpr const char* Names[] = {"whole", "tiled", "streamed"};
  return mode < std::size(Names) ? Names[mode] : strCat("mode ", mode);
}

std::string planPoolName(uint64_t pool) {
  static constexpr const char* Names[] = {"absent", "fast", "slow",    "caller",
                                          "const",  "tile", "unpacked"};
  return pool < std::size(Names) ? Names[pool] : strCat("pool ", pool);
}

DType planDType(unsigned dtype) {
  switch (dtype) {
  case TIGRIS_F32:
    return DType::Float32;
  case TIGRIS_S8:
    return DType::Int8;
  case TIGRIS_U8:
    return DType::UInt8;
  case TIGRIS_S16:
    return DType::Int16;
  case TIGRIS_U16:
    return DType::UInt16;
  case TIGRIS_S32:
    return DType::Int32;
  case TIGRIS_S64:
    return DType::Int64;
  case TIGRIS_BOOL:
    return DType::Bool;
  case TIGRIS_F16:
    return DType::Float16;
  default:
    return DType::Undefined;
  }
}

} // namespace tigris
