// Plans in the reader, the report and the dump; damage is detected and located.
#include "tigris/Inspect/PlanFile.h"

#include "tigris/Emit/Emitter.h"
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
  CHECK(message(newer) == "offset 0x4: the plan has format version 7, this tool reads 1");
  std::string flipped = bytes;
  flipped[bytes.size() / 2] ^= 1;
  CHECK(message(flipped).find("offset 0xc: the checksum is 0x") == 0);
  std::string section = bytes;
  section[32 + 4] = 1; // offset of the first section
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

/// The file with another entry at the end of its directory, after which everything moves up.
std::string withEntry(std::string bytes, tigris_section entry) {
  auto header = read<tigris_header>(bytes, 0);
  const size_t end = sizeof header + header.section_count * sizeof entry;
  bytes.insert(end, sizeof entry, '\0');
  write(bytes, end, entry);
  for (size_t at = sizeof header; at <= end; at += sizeof entry) {
    auto moved = read<tigris_section>(bytes, at);
    moved.offset += sizeof entry;
    write(bytes, at, moved);
    if (moved.type == TIGRIS_SECTION_SUMMARY)
      write(bytes, moved.offset + offsetof(tigris_summary, flash_bytes),
            static_cast<uint32_t>(bytes.size()));
  }
  ++header.section_count;
  header.file_size = static_cast<uint32_t>(bytes.size());
  write(bytes, 0, header);
  return sealed(std::move(bytes));
}

/// Where the directory entry of STAGE_STATS is: the last one.
size_t statsEntry(const std::string& bytes) {
  const size_t at = sizeof(tigris_header) + TIGRIS_SECTION_LAST * sizeof(tigris_section);
  REQUIRE(read<tigris_section>(bytes, at).type == TIGRIS_SECTION_STAGE_STATS);
  return at;
}

} // namespace

TEST_CASE("damaged stats of stages are located, unknown sections ignored") {
  const std::string bytes = planBytes();
  const size_t entry = statsEntry(bytes);
  const auto section = read<tigris_section>(bytes, entry);
  CHECK(PlanFile::open(withEntry(bytes, {99, section.offset, 0, 0}), "p"));
  CHECK(message(withEntry(bytes, section)).find("STAGE_STATS occurs 2 times") != std::string::npos);
  const auto with = [&](size_t offset, auto value) {
    std::string changed = bytes;
    write(changed, offset, value);
    return message(sealed(changed));
  };
  const std::string misfit = "records in ";
  CHECK(with(entry + offsetof(tigris_section, count), uint32_t{2}).find(misfit) !=
        std::string::npos);
  CHECK(with(entry + offsetof(tigris_section, length), uint32_t{39}).find(misfit) !=
        std::string::npos);
  CHECK(with(entry + offsetof(tigris_section, length), UINT32_MAX).find("the file ends at") !=
        std::string::npos);
  CHECK(with(entry + offsetof(tigris_section, offset), section.offset + 8).find("multiple of") !=
        std::string::npos);
  for (const auto& [offset, name] :
       {std::pair(offsetof(tigris_stage_stats, slow_read), "slow_read of 0"),
        std::pair(offsetof(tigris_stage_stats, slow_write), "slow_write of 0"),
        std::pair(offsetof(tigris_stage_stats, kernel_calls), "kernel_calls of 2"),
        std::pair(offsetof(tigris_stage_stats, recompute_macs), "recompute_macs of 0")})
    CHECK(with(section.offset + offset, UINT64_MAX).find(name) != std::string::npos);
  CHECK(with(section.offset + offsetof(tigris_stage_stats, halo_rows), uint64_t{1})
            .find("has 1 halo rows in stage 0") != std::string::npos);
}
