// Text output for a `.tgrs` file: overview, stages, memory map, operators.
#include "tigris/Inspect/Dump.h"

#include "tigris/Inspect/Figures.h"
#include "tigris/Inspect/Overview.h"
#include "tigris/Inspect/PlanPicture.h"
#include "tigris/Support/Printable.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace tigris {

namespace {

std::string hex(uint64_t value) {
  std::ostringstream out;
  out.exceptions(std::ios::badbit);
  out << "0x" << std::hex << value;
  return out.str();
}

std::string tensorName(const PlanFile& file, unsigned index) {
  const std::string_view name = file.tensorName(index);
  return name.empty() ? strCat("t", index) : printableName(name);
}

std::string typeText(const PlanFile& file, const tigris_tensor& tensor) {
  const auto dims = file.dims(tensor);
  return strCat(dtypeName(planDType(tensor.dtype)), "[",
                join(std::vector<int32_t>(dims.begin(), dims.end()), ","), "]");
}

std::string place(const PlanFile& file, const tigris_operand& operand) {
  switch (operand.pool) {
  case TIGRIS_POOL_FAST:
    return "fast+" + hex(operand.offset);
  case TIGRIS_POOL_SLOW:
    return "slow+" + hex(operand.offset);
  case TIGRIS_POOL_CALLER:
    return operand.offset < file.plan().input_count
               ? strCat("input ", operand.offset)
               : strCat("output ", operand.offset - file.plan().input_count);
  case TIGRIS_POOL_UNPACKED:
    return "unpacked+" + hex(operand.offset);
  case TIGRIS_POOL_CONST:
    return "const+" + hex(operand.offset);
  case TIGRIS_POOL_TILE:
    return strCat("tile buffer ", operand.offset);
  default:
    return "absent";
  }
}

std::string operandText(const PlanFile& file, const tigris_operand& operand) {
  if (operand.pool == TIGRIS_POOL_ABSENT)
    return "-";
  return strCat(typeText(file, file.tensor(operand.tensor)), "@", place(file, operand));
}

std::string opLabel(const PlanFile& file, size_t index) {
  const tigris_op& op = file.ops()[index];
  const std::string_view name = file.opName(index);
  return strCat(index, " ", opcodeName(op.opcode), name.empty() ? "" : " ", printableName(name));
}

/// The operands of an op that are in slow memory.
std::string slowOperands(const PlanFile& file, const tigris_op& op) {
  std::vector<std::string> used;
  for (const tigris_operand& operand : file.operands(op))
    if (operand.pool == TIGRIS_POOL_SLOW)
      used.push_back(tensorName(file, operand.tensor));
  return used.empty() ? "" : strCat(", in slow memory: ", join(used, ", "));
}

/// Flash used by the constants of each stage, unpacked and in blocks. Empty if there are no blocks.
std::string weightTable(const PlanFile& file) {
  if (file.weightBlocks().empty())
    return "";
  TextTable table({">stage", "weights", ">in flash", ">unpacked", ">ratio", ">before op"});
  const auto blocks = file.weightBlocks();
  size_t index = 0;
  for (const tigris_stage& stage : file.stages()) {
    std::map<uint32_t, uint32_t> raw; // offset, bytes: constants shared by ops count once
    for (const tigris_op& op : file.ops().subspan(stage.first_op, file.opCount(stage)))
      for (const tigris_operand& operand : file.operands(op))
        if (operand.pool == TIGRIS_POOL_CONST)
          raw[operand.offset] = file.tensor(operand.tensor).bytes;
    uint64_t rawBytes = 0;
    for (const auto& [offset, bytes] : raw)
      rawBytes += bytes;
    if (rawBytes != 0)
      table.addRow({strCat(index), "raw", strCat(rawBytes), "-", "-", "-"});
    for (const tigris_weight_block& block : blocks)
      if (block.first_op >= stage.first_op && block.first_op < stage.first_op + file.opCount(stage))
        table.addRow({strCat(index), block.mode == TIGRIS_BLOCK_LZ4 ? "lz4" : "copy",
                      strCat(block.packed_bytes), strCat(block.bytes),
                      strCat(block.packed_bytes * uint64_t{100} / block.bytes, "%"),
                      strCat(block.first_op)});
    ++index;
  }
  return "\n" + table.text();
}

/// What is brought to the prefix of fast memory, and from where; empty if nothing is.
std::string weightLine(const PlanFile& file) {
  const tigris_summary& summary = file.summary();
  if (file.weightBlocks().empty())
    return "";
  tigris_requirements needs;
  tigris_plan_requirements(&file.plan(), nullptr, &needs);
  const bool copies = (summary.flags & TIGRIS_SUMMARY_COPY) != 0;
  std::string source;
  if ((summary.flags & TIGRIS_SUMMARY_EXTERNAL) != 0)
    source = strCat(" from a file of ", describeBytes(needs.weight_bytes), ", crc32 ",
                    hex(summary.weights_crc), ",");
  return strCat("weights       ", copies ? "copied" : "unpacked", source, " to the first ",
                describeBytes(summary.fast_reserved), " of fast memory, block by block\n");
}

std::string stageDetails(const PlanFile& file) {
  std::string text;
  size_t index = 0;
  const auto addTransfers = [&](std::span<const tigris_transfer> transfers, const char* verb) {
    for (const tigris_transfer& transfer : transfers)
      text += strCat("  ", verb, " ", tensorName(file, transfer.tensor), ", ",
                     file.tensor(transfer.tensor).bytes, " bytes, fast+", hex(transfer.fast),
                     ", slow+", hex(transfer.slow), "\n");
  };
  for (const tigris_stage& stage : file.stages()) {
    text += strCat("\nstage ", index++, "\n");
    addTransfers(file.loads(stage), "load ");
    for (uint32_t i = 0; i < file.opCount(stage); ++i)
      text += strCat("  run   ", opLabel(file, stage.first_op + i),
                     slowOperands(file, file.ops()[stage.first_op + i]), "\n");
    addTransfers(file.spills(stage), "spill");
  }
  return text;
}

std::string opTable(const PlanFile& file) {
  TextTable table({">op", "opcode", "name", "inputs", "outputs"});
  size_t index = 0;
  for (const tigris_op& op : file.ops()) {
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    for (const tigris_operand& operand : file.operands(op))
      (inputs.size() < op.inputs ? inputs : outputs).push_back(operandText(file, operand));
    table.addRow({strCat(index), opcodeName(op.opcode), printableName(file.opName(index)),
                  join(inputs, " "), join(outputs, " ")});
    ++index;
  }
  return table.text();
}

/// Every block of memory with its operators, and the parts of the fast peak.
std::string memoryMap(const PlanFile& file) {
  const PlanPicture picture = pictureOf(file);
  TextTable table({"memory", ">offset", ">bytes", ">end", "ops", "tensor", ">at the peak"});
  std::map<size_t, uint64_t> atPeak;
  for (const PeakPart& part : picture.peakParts)
    atPeak.emplace(part.block, part.bytes);
  const auto addRows = [&](const char* memory, const std::vector<PictureBlock>& blocks) {
    std::vector<size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::tie(blocks[a].offset, blocks[a].first) <
             std::tie(blocks[b].offset, blocks[b].first);
    });
    for (const size_t i : order) {
      const PictureBlock& block = blocks[i];
      const auto part = &blocks == &picture.fast ? atPeak.find(i) : atPeak.end();
      table.addRow({memory, hex(block.offset), strCat(block.bytes), hex(block.offset + block.bytes),
                    strCat(block.first, "..", block.last), printableName(block.name),
                    part == atPeak.end() ? "-" : strCat(part->second)});
    }
  };
  addRows("fast", picture.fast);
  addRows("slow", picture.slow);
  if (table.empty())
    return "  nothing in planned memory\n";
  const PictureStep& peak = picture.steps[picture.peakStep];
  return strCat(table.text(), "\nfast peak     ", describeBytes(peak.top), " at op ",
                picture.peakStep, " ", printableName(peak.name), ": ", describeBytes(peak.live),
                " of it in use, ", describeBytes(picture.peakGaps()), " in gaps\n");
}

} // namespace

std::string dumpPlan(const PlanFile& file, const DumpOptions& options) {
  const tigris_summary& summary = file.summary();
  const std::string_view model = file.string(summary.model);
  std::string text =
      strCat("plan          ", model.empty() ? "(no name)" : printableName(model), ", format ",
             file.formatVersion(), ", ", describeBytes(file.fileBytes()), "\n");
  if (file.figures() != nullptr && !file.string(file.figures()->producer).empty())
    text += strCat("made by       ", printable(file.string(file.figures()->producer)), "\n");
  text += strCat("needs         fast ", describeBytes(summary.fast_bytes), ", slow ",
                 describeBytes(summary.slow_bytes), ", flash ", describeBytes(file.fileBytes()),
                 ", alignment ", summary.align,
                 (summary.flags & TIGRIS_SUMMARY_XIP) != 0 ? ", weights used in place" : "", "\n");
  text += weightLine(file);
  const Report report = reportOf(file);
  text += overviewText(report) + "\n" + stageTable(report).text();
  if (const std::string note = missingStatsNote(report); !note.empty())
    text += "  " + note + "\n";
  text += weightTable(file);
  if (options.stages)
    text += stageDetails(file);
  if (options.memory)
    text += "\n" + memoryMap(file);
  if (options.ops)
    text += "\n" + opTable(file);
  return text;
}

} // namespace tigris
