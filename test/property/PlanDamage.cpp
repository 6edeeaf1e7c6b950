// Weights and names are not changed: the executor does not interpret them.
#include "PlanDamage.h"

#include "tigris.h"

#include "tigris/Support/Check.h"

#include <array>
#include <cstring>

namespace tigris::property {

PlanDamage::PlanDamage(const std::string& file) : file_(file) {
  std::vector<uint64_t> image(file.size() / 8 + 16);
  // The runtime requires bytes at a multiple of its alignment.
  auto* base = reinterpret_cast<uint8_t*>(image.data());
  base += (64 - reinterpret_cast<uintptr_t>(base) % 64) % 64;
  std::memcpy(base, file.data(), file.size());
  tigris_plan plan;
  TIGRIS_CHECK(tigris_plan_open(&plan, base, file.size()) == TIGRIS_OK);
  const auto addTable = [&](const auto* records, size_t count) {
    if (count != 0)
      tables_.push_back({static_cast<size_t>(reinterpret_cast<const uint8_t*>(records) - base),
                         sizeof *records, count});
  };
  addTable(plan.tensors, plan.tensor_count);
  addTable(plan.ports, plan.port_count);
  addTable(plan.ops, plan.op_count);
  addTable(plan.transfers, plan.transfer_count);
  addTable(reinterpret_cast<const uint32_t*>(plan.params), plan.param_bytes / 4);
  // Records that control the execution are changed more often.
  for (int i = 0; i < 2; ++i) {
    addTable(plan.ints, plan.int_count);
    addTable(plan.operands, plan.operand_count);
    addTable(plan.stages, plan.stage_count);
  }
  for (int i = 0; i < 5; ++i) {
    addTable(plan.tilings, plan.tiling_count);
    addTable(plan.tile_buffers, plan.tile_buffer_count);
  }
}

void PlanDamage::change(std::string& bytes, const Table& table, Random& random) const {
  const auto below = [&](size_t limit) {
    return static_cast<size_t>(random.below(static_cast<int64_t>(limit)));
  };
  constexpr std::array<uint32_t, 13> Borders = {
      0, 1, 2, 3, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  const size_t width = size_t{1} << below(3);
  const size_t field = below(table.recordBytes / width) * width;
  const auto at = [&](size_t record) { return table.begin + record * table.recordBytes + field; };
  char* place = &bytes[at(below(table.records))];
  uint32_t value = 0;
  std::memcpy(&value, place, width);
  switch (random.below(5)) {
  case 0:
    value ^= 1U << random.below(static_cast<int64_t>(8 * width));
    break;
  case 1:
    value = Borders[below(Borders.size())];
    break;
  case 2:
    value += static_cast<uint32_t>(random.in(-8, 8));
    break;
  case 3:
    value = random.percent(50) ? value / 2 : value * 2;
    break;
  default:
    std::memcpy(&value, &file_[at(below(table.records))], width);
  }
  std::memcpy(place, &value, width);
}

std::string PlanDamage::next(Random& random) const {
  std::string bytes = file_;
  for (int64_t changes = random.in(1, 3); changes > 0; --changes)
    change(bytes, tables_[static_cast<size_t>(random.below(static_cast<int64_t>(tables_.size())))],
           random);
  return bytes;
}

} // namespace tigris::property
