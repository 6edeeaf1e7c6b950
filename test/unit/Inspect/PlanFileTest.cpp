// Plans in the reader, the report and the dump; damage is detected and located.
#include "tigris/Inspect/PlanFile.h"

#include "tigris/Emit/Emitter.h"
#include "tigris/Emit/Lz4Block.h"
#include "tigris/Inspect/Dump.h"
#include "tigris/Inspect/Report.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Support/Crc32.h"

#include <doctest/doctest.h>
#include <cstring>

using namespace tigris;

namespace {

/// x [1, 2, 2, 3] -> Relu -> Sigmoid -> y, planned for 1 KiB of fast memory.
Graph plannedGraph(std::optional<uint64_t> slow = {}) {
  Graph graph;
  graph.setModelName("tiny");
  graph.setOpset(17);
  graph.setLayout(Layout::ChannelsLast);
  const auto tensor = [&](const char* name) {
    Tensor result;
    result.name = name;
    result.type = DType::Float32;
    result.shape = Shape{1, 2, 2, 3};
    return graph.addTensor(std::move(result));
  };
  const TensorId x = tensor("x");
  const TensorId middle = tensor("middle");
  const TensorId y = tensor("y");
  const auto op = [&](OpKind kind, const char* name, TensorId from, TensorId to) {
    Op result;
    result.kind = kind;
    result.name = name;
    result.inputs = {from};
    result.outputs = {to};
    graph.addOp(std::move(result));
  };
  graph.addInput({"x", x, DType::Float32, Shape{1, 3, 2, 2}, {0, 2, 3, 1}});
  op(OpKind::Relu, "first", x, middle);
  op(OpKind::Sigmoid, "second", middle, y);
  graph.addOutput({"y", y, DType::Float32, Shape{1, 3, 2, 2}, {0, 2, 3, 1}});
  graph.setForm(GraphForm::Normalized);
  PlanOptions options;
  options.budget.fast = 1024;
  options.budget.slow = slow;
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE(plan);
  applyPlan(graph, std::move(*plan));
  return graph;
}

std::string planBytes() {
  Expected<std::string> bytes = emitPlan(plannedGraph());
  REQUIRE(bytes);
  return std::move(*bytes);
}

std::string message(const std::string& bytes, bool ignoreCrc = false) {
  const Expected<PlanFile> file = PlanFile::open(bytes, "p.tgrs", ignoreCrc);
  REQUIRE(!file);
  CHECK(file.error().diagnostic().loc.file == "p.tgrs");
  return file.error().message();
}

/// Updates the checksum of changed bytes.
std::string sealed(std::string bytes) {
  const uint32_t crc = crc32(bytes.data() + 16, bytes.size() - 16);
  std::memcpy(bytes.data() + offsetof(tigris_header, crc32), &crc, sizeof crc);
  return bytes;
}

} // namespace

TEST_CASE("a plan's interface and figures read back") {
  const std::string bytes = planBytes();
  const Expected<PlanFile> file = PlanFile::open(bytes, "p.tgrs");
  REQUIRE(file);
  const Report report = reportOf(*file);
  CHECK(report.model == "tiny");
  CHECK(report.formatVersion == TIGRIS_FORMAT_VERSION);
  REQUIRE(report.inputs.size() == 1);
  CHECK(report.inputs[0].name == "x");
  CHECK(report.inputs[0].type == DType::Float32);
  CHECK(report.inputs[0].shape == std::vector<int64_t>{1, 3, 2, 2});
  CHECK(report.inputs[0].storedShape == std::vector<int64_t>{1, 2, 2, 3});
  CHECK(report.planBytes == bytes.size());
  CHECK(report.budgetFast == 1024);
  CHECK(!report.budgetSlow);
  REQUIRE(report.planStats() != nullptr);
  CHECK(report.stats->ioBytes == 96);
  CHECK(report.stats->kernelCalls == 2);
}

TEST_CASE("a dump shows every op, place and stage") {
  const std::string bytes = planBytes();
  const Expected<PlanFile> file = PlanFile::open(bytes, "p.tgrs");
  REQUIRE(file);
  const std::string text = dumpPlan(*file, {true, true, true});
  for (const char* part : {"tiny", "float32[1,2,2,3]@input 0", "float32[1,2,2,3]@output 0", "first",
                           "second", "stage 0", "fast+0x0"})
    CHECK_MESSAGE(text.find(part) != std::string::npos, part);
}

TEST_CASE("damage is located") {
  const std::string bytes = planBytes();
  CHECK(message("") == "the file is empty");
  CHECK(message("ONNX").find("not a .tgrs plan: it is text") == 0);
  CHECK(message("\1\2\3") == "not a .tgrs plan: it does not begin with 'TGRS'; tigris-emit creates "
                             "one from a planned module");
  CHECK(message(bytes.substr(0, 20)) == "offset 0x14: the file ends inside its header of 32 bytes");
  CHECK(message(bytes.substr(0, 100)).find("offset 0x64: the file is truncated") == 0);
  std::string newer = bytes;
  newer[4] = 7;
  CHECK(message(newer) == "offset 0x4: the plan has format version 7, this tool reads 2");
  std::string flipped = bytes;
  flipped[bytes.size() / 2] ^= 1;
  CHECK(message(flipped).find("offset 0xc: the checksum is 0x") == 0);
  std::string section = bytes;
  section[32 + 3] = 1; // length of the first section
  CHECK(message(sealed(section)).find("offset 0x20: section ") == 0);
}

TEST_CASE("no changed or missing byte gets past the reader unnoticed or crashes it") {
  const std::string bytes = planBytes();
  for (size_t length = 0; length < bytes.size(); ++length)
    CHECK(!PlanFile::open(std::string_view(bytes).substr(0, length), "p"));
  for (size_t i = 0; i < bytes.size(); ++i)
    for (const int bit : {0, 3, 7}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ 1 << bit);
      CHECK(!PlanFile::open(changed, "p"));
      // The file may still be a valid plan except for its checksum; then it must be printable.
      const Expected<PlanFile> file = PlanFile::open(changed, "p", true);
      if (file)
        (void)dumpPlan(*file, {true, true, true});
    }
}

namespace {

template <typename T> T read(const std::string& bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <typename T> void write(std::string& bytes, size_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// The file with four further sections, empty and of unknown types. Everything moves up by 16
/// bytes.
std::string withSections(std::string bytes) {
  auto header = read<tigris_header>(bytes, 0);
  const uint32_t size = header.section_count * sizeof(uint32_t);
  bytes.insert(sizeof header + size, 16, '\0');
  header.section_count += 4;
  header.file_size = static_cast<uint32_t>(bytes.size());
  write(bytes, 0, header);
  return sealed(std::move(bytes));
}

/// The file with other bytes packed in STAGE_STATS, and without names.
std::string withStats(std::string bytes, std::string_view stats) {
  const PlanSection section = planSections(bytes).at(TIGRIS_SECTION_STAGE_STATS - 1);
  const std::string block = lz4Block(stats);
  bytes.resize(section.offset);
  bytes.resize(section.offset + sizeof(uint32_t) + block.size());
  write(bytes, section.offset, static_cast<uint32_t>(stats.size()));
  std::copy(block.begin(), block.end(), bytes.end() - static_cast<std::ptrdiff_t>(block.size()));
  auto header = read<tigris_header>(bytes, 0);
  const auto length = static_cast<uint32_t>(bytes.size() - section.offset);
  write(bytes, sizeof header + (section.type - 1) * sizeof length, length);
  write(bytes, sizeof header + section.type * sizeof length, uint32_t{0});
  header.file_size = static_cast<uint32_t>(bytes.size());
  write(bytes, 0, header);
  return sealed(std::move(bytes));
}

} // namespace

TEST_CASE("damaged stats of stages are located, unknown sections ignored") {
  const std::string bytes = planBytes();
  const PlanSection section = planSections(bytes).at(TIGRIS_SECTION_STAGE_STATS - 1);
  const size_t entry = sizeof(tigris_header) + (section.type - 1) * sizeof(uint32_t);
  CHECK(PlanFile::open(withSections(bytes), "p"));
  std::string changed = bytes;
  write(changed, entry, UINT32_MAX);
  CHECK(message(sealed(changed)).find("the file ends at") != std::string::npos);
  changed = bytes;
  write(changed, section.offset, UINT32_MAX);
  CHECK(message(sealed(changed)).find("STAGE_STATS is damaged") != std::string::npos);
  const std::string stats = [&] {
    const Expected<PlanFile> file = PlanFile::open(bytes, "p");
    REQUIRE(file);
    const std::span<const tigris_stage_stats> read = file->stageStats();
    return std::string(reinterpret_cast<const char*>(read.data()), read.size_bytes());
  }();
  CHECK(PlanFile::open(withStats(bytes, stats), "p"));
  CHECK(message(withStats(bytes, stats.substr(1))).find("STAGE_STATS has 47 bytes") !=
        std::string::npos);
  const auto with = [&](size_t offset, auto value) {
    std::string other = stats;
    write(other, offset, value);
    return message(withStats(bytes, other));
  };
  for (const auto& [offset, name] :
       {std::pair(offsetof(tigris_stage_stats, slow_read), "slow_read of 0"),
        std::pair(offsetof(tigris_stage_stats, slow_write), "slow_write of 0"),
        std::pair(offsetof(tigris_stage_stats, kernel_calls), "kernel_calls of 2"),
        std::pair(offsetof(tigris_stage_stats, recompute_macs), "recompute_macs of 0")})
    CHECK(with(offset, UINT64_MAX).find(name) != std::string::npos);
  CHECK(with(offsetof(tigris_stage_stats, halo_rows), uint64_t{1})
            .find("has 1 halo rows in stage 0") != std::string::npos);
  CHECK(with(offsetof(tigris_stage_stats, peak), UINT64_MAX).find("has a peak of") !=
        std::string::npos);
}

TEST_CASE("damaged figures are located") {
  const std::string bytes = planBytes();
  const size_t at = planSections(bytes)[0].offset + sizeof(tigris_summary);
  for (const size_t field : {offsetof(tigris_figures, planner), offsetof(tigris_figures, fast_peak),
                             offsetof(tigris_figures, slow_peak)}) {
    std::string changed = bytes;
    write(changed, at + field, uint32_t{0x7FFFFFFF});
    CHECK(message(sealed(changed)).find("SUMMARY has") != std::string::npos);
  }
  for (const size_t field :
       {offsetof(tigris_figures, budget_fast), offsetof(tigris_figures, budget_flash)}) {
    std::string changed = bytes;
    write(changed, at + field, uint32_t{1});
    CHECK(message(sealed(changed)).find("a budget that the plan exceeds") != std::string::npos);
  }
}

TEST_CASE("names read back, and damaged ones are located") {
  const std::string bytes = planBytes();
  const Expected<PlanFile> file = PlanFile::open(bytes, "p");
  REQUIRE(file);
  CHECK(file->opName(0) == "first");
  CHECK(file->opName(1) == "second");
  CHECK(file->tensorName(file->inputs()[0].tensor) == "x");
  CHECK(file->operandName(file->operands(file->ops()[1])[1]) == "y");
  const PlanSection section = planSections(bytes).at(TIGRIS_SECTION_NAMES - 1);
  const auto damaged = [&](size_t offset, auto value) {
    std::string changed = bytes;
    write(changed, section.offset + offset, value);
    return message(sealed(changed)).find("NAMES is damaged") != std::string::npos;
  };
  const auto size = read<uint32_t>(bytes, section.offset);
  for (const uint32_t wrong : {size - 1, size + 1, uint32_t{0}, UINT32_MAX, uint32_t{INT32_MAX}})
    CHECK(damaged(0, wrong));
  CHECK(damaged(sizeof size, uint8_t{0})); // no literals, so that the first match has no source
}
