// Derived from the report alone, so that a module and its plan file read the same.
#include "tigris/Inspect/Figures.h"

#include "tigris/Inspect/Dump.h"
#include "tigris/Support/Printable.h"

#include <map>

namespace tigris {

namespace {

std::string ofBudget(uint64_t bytes, const std::optional<uint64_t>& budget) {
  return budget ? strCat(describeBytes(bytes), " of ", formatBytes(*budget)) : describeBytes(bytes);
}

double ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string times(uint64_t part, uint64_t whole) {
  return formatFixed(ratio(part, whole), 1) + "x";
}
std::string percent(uint64_t part, uint64_t whole) {
  return formatFixed(100 * ratio(part, whole), 1) + " %";
}

/// A bound far below the peak says nothing.
bool isTelling(uint64_t bound, uint64_t peak) { return bound >= peak / 4; }

std::string boundText(const Report& report, uint64_t peak) {
  if (!report.bounds || report.bounds->planClass.empty() ||
      !isTelling(report.bounds->fastPeakBytes, peak))
    return {};
  const uint64_t bound = report.bounds->fastPeakBytes;
  return strCat("; at least ", describeBytes(bound), " (", report.bounds->planClass, ")",
                report.provenOptimal.value_or(false)
                    ? ", proven optimal in that class"
                    : strCat(", within ", formatFixed(ratio(peak, bound), 2), "x of the least"));
}

std::string trafficText(const PlanStats& stats, const std::optional<PlanBounds>& bounds) {
  const uint64_t traffic = stats.trafficBytes();
  std::string text =
      strCat(describeBytes(traffic), " per inference: ", formatBytes(stats.slowReadBytes),
             " read, ", formatBytes(stats.slowWriteBytes), " written; compulsory ",
             describeBytes(stats.compulsoryBytes));
  if (traffic != 0 && stats.compulsoryBytes != 0)
    text += strCat(" (", times(traffic, stats.compulsoryBytes), ")");
  if (bounds && bounds->slowTrafficBytes != 0)
    text += strCat("; at least ", describeBytes(bounds->slowTrafficBytes));
  return text;
}

/// "3: 2 whole, 1 streamed, 1 chain".
std::string stageCountText(const Report& report) {
  std::map<std::string, size_t> modes;
  for (const StageReport& stage : report.stages)
    ++modes[stage.mode];
  std::vector<std::string> kinds;
  for (const char* mode : {"whole", "direct", "tiled", "streamed"})
    if (modes.count(mode) != 0)
      kinds.push_back(strCat(modes[mode], " ", mode));
  if (const uint64_t chains = report.counts->chains; chains != 0)
    kinds.push_back(strCat(chains, chains == 1 ? " chain" : " chains"));
  return strCat(report.counts->stages, kinds.empty() ? "" : ": ", join(kinds, ", "));
}

std::string flashText(const Report& report) {
  const uint64_t flash = *report.planBytes;
  std::string left;
  if (const auto& budget = report.budgetFlash)
    left = flash <= *budget ? strCat(", ", formatBytes(*budget - flash), " left")
                            : strCat(", ", formatBytes(flash - *budget), " over budget");
  return strCat(ofBudget(flash, report.budgetFlash), left, ": weights ",
                describeBytes(report.weightBytes.value_or(0)), ", metadata ",
                describeBytes(report.metadataBytes.value_or(0)));
}

std::string slowText(uint64_t bytes, const std::optional<uint64_t>& budget) {
  if (bytes == 0)
    return "needs no slow memory (PSRAM)" + (budget ? ", budget " + formatBytes(*budget) : "");
  return strCat("needs ", formatBytes(bytes), " of slow memory (PSRAM): peak ", bytes, " bytes",
                budget ? " of " + formatBytes(*budget) : "");
}

/// "39.6 KiB (40550 bytes): arena 11.3 KiB, inputs 27 KiB, ...", without parts of 0 bytes.
std::string ramText(const RamUse& ram) {
  std::vector<std::string> parts;
  for (const RamPart& part : RamParts)
    if (ram.*part.bytes != 0)
      parts.push_back(strCat(part.name, " ", formatBytes(ram.*part.bytes)));
  return strCat(describeBytes(ram.total()), ": ", join(parts, ", "));
}

/// Names the first few ops.
std::string repeatedText(const std::vector<std::string>& names) {
  constexpr size_t MostNamed = 4;
  std::vector<std::string> named;
  for (size_t i = 0; i < std::min(names.size(), MostNamed); ++i)
    named.push_back(strCat("'", printableName(names[i]), "'"));
  return strCat(names.size(),
                " ops executed twice instead of holding their results: ", join(named, ", "),
                names.size() > MostNamed ? strCat(" and ", names.size() - MostNamed, " more")
                                         : std::string());
}

void addPlanLines(std::vector<FigureLine>& lines, const Report& report, const PlanStats& stats) {
  lines.push_back({"fast memory", strCat("peak ", ofBudget(stats.fastPeakBytes, report.budgetFast),
                                         boundText(report, stats.fastPeakBytes))});
  if (report.kernelScratch.value_or(0) != 0)
    lines.push_back({"scratch", strCat(describeBytes(*report.kernelScratch),
                                       " of kernel scratch beside the fast peak")});
  if (report.budgetSlow || stats.slowPeakBytes != 0) {
    lines.push_back({"slow memory", slowText(stats.slowPeakBytes, report.budgetSlow)});
    lines.push_back({"traffic", trafficText(stats, report.bounds)});
  }
  if (report.ram)
    lines.push_back({"RAM", ramText(*report.ram)});
  lines.push_back({"work", strCat(stats.macs, " MACs, ", stats.recomputeMacs, " recomputed (",
                                  percent(stats.recomputeMacs, stats.macs), "), ",
                                  stats.kernelCalls, " kernel calls")});
  if (!report.repeatedOps.empty())
    lines.push_back({"repeated", repeatedText(report.repeatedOps)});
  lines.push_back({"stages", stageCountText(report)});
}

/// A column of the table of stages.
struct StageColumn {
  const char* heading;
  std::string (*cell)(const StageReport& stage);
};

template <uint64_t StageStats::*Member> std::string statCell(const StageReport& stage) {
  return stage.stats ? strCat((*stage.stats).*Member) : "-";
}

std::string haloCell(const StageReport& stage) {
  return stage.tiles.empty() ? "-" : statCell<&StageStats::haloRows>(stage);
}

std::string opsCell(const StageReport& stage) {
  return stage.ops == 0 ? "-" : strCat(stage.first, "..", stage.first + stage.ops - 1);
}

constexpr StageColumn StageColumns[] = {
    {"mode", [](const StageReport& stage) { return stage.mode; }},
    {"tiles", [](const StageReport& stage) { return stage.tiles.empty() ? "-" : stage.tiles; }},
    {">halo", haloCell},
    {"ops", opsCell},
    {"first op",
     [](const StageReport& stage) {
       return stage.firstOp.empty() ? "-" : printableName(stage.firstOp);
     }},
    {">peak bytes",
     [](const StageReport& stage) { return stage.peak ? strCat(*stage.peak) : "-"; }},
    {">bytes read", statCell<&StageStats::slowReadBytes>},
    {">bytes written", statCell<&StageStats::slowWriteBytes>},
    {">recomputed MACs", statCell<&StageStats::recomputeMacs>},
    {">calls", statCell<&StageStats::kernelCalls>},
};

} // namespace

std::string labeledLine(std::string_view label, const std::string& text) {
  constexpr size_t TextColumn = 14;
  std::string padded(label);
  padded.resize(TextColumn, ' ');
  return padded + printable(text) + "\n";
}

std::vector<FigureLine> figureLines(const Report& report) {
  std::vector<FigureLine> lines;
  if (const PlanStats* stats = report.planStats())
    addPlanLines(lines, report, *stats);
  if (report.stats) {
    std::string peak = strCat("peak ", describeBytes(report.stats->unscheduledPeakBytes));
    if (report.peakOp)
      peak += strCat(" at op '", printableName(report.peakOp->name), "' (",
                     printableName(report.peakOp->kind), ")");
    lines.push_back({"unscheduled", peak + ", in the model's order, nothing spilled or tiled"});
    lines.push_back({"interface", describeBytes(report.stats->ioBytes) +
                                      (report.io ? strCat(" (", *report.io, ")") : "")});
  }
  if (report.planBytes)
    lines.push_back({"flash", flashText(report)});
  else
    lines.push_back({"weights", describeBytes(report.weightBytes.value_or(0))});
  return lines;
}

std::string figureText(const Report& report) {
  std::string text;
  for (const FigureLine& line : figureLines(report))
    text += labeledLine(line.label, line.text);
  return text;
}

TextTable stageTable(const Report& report) {
  std::vector<std::string> headings = {">stage"};
  for (const StageColumn& column : StageColumns)
    headings.emplace_back(column.heading);
  TextTable table(std::move(headings));
  for (size_t i = 0; i < report.stages.size(); ++i) {
    std::vector<std::string> cells = {strCat(i)};
    for (const StageColumn& column : StageColumns)
      cells.push_back(column.cell(report.stages[i]));
    table.addRow(std::move(cells));
  }
  return table;
}

std::string missingStatsNote(const Report& report) {
  const bool isMissing = !report.stages.empty() && !report.stages[0].stats;
  return isMissing
             ? "the file has no stats of its stages: it was stripped, or is of an older version"
             : "";
}

std::vector<std::string> planColumns() {
  return {">fast peak", ">slow peak", ">slow traffic", ">vs. compulsory", ">recomputed",
          ">calls",     ">stages",    ">tiled",        ">streamed"};
}

std::vector<std::string> planCells(const PlanStats& stats, const StageCounts& counts) {
  const uint64_t traffic = stats.trafficBytes();
  return {strCat(stats.fastPeakBytes),
          strCat(stats.slowPeakBytes),
          strCat(traffic),
          traffic == 0 ? "-" : times(traffic, stats.compulsoryBytes),
          percent(stats.recomputeMacs, stats.macs),
          strCat(stats.kernelCalls),
          strCat(counts.stages),
          strCat(counts.tiled),
          strCat(counts.streamed)};
}

std::vector<std::string> misfitCells() {
  std::vector<std::string> cells(planColumns().size());
  cells[0] = "does not fit";
  return cells;
}

void writeStats(JsonWriter& json, const PlanStats* stats, bool modelOnly) {
  for (const StatField<PlanStats>& field : PlanStatFields)
    json.field(field.key, stats != nullptr && (field.ofModel || !modelOnly)
                              ? std::optional(stats->*field.member)
                              : std::nullopt);
}

void writeCounts(JsonWriter& json, const StageCounts* counts) {
  const auto write = [&](const char* key, uint64_t StageCounts::*member) {
    json.field(key, counts != nullptr ? std::optional(counts->*member) : std::nullopt);
  };
  write("stages", &StageCounts::stages);
  write("tiled_stages", &StageCounts::tiled);
  write("streamed_stages", &StageCounts::streamed);
  write("chains", &StageCounts::chains);
}

void writeStages(JsonWriter& json, const Report& report) {
  if (report.planStats() == nullptr && report.stages.empty()) {
    json.field("stage_stats", std::optional<uint64_t>());
    return;
  }
  json.key("stage_stats").beginArray();
  for (const StageReport& stage : report.stages) {
    json.beginObject(JsonWriter::Inline)
        .field("mode", stage.mode)
        .field("tiles", stage.tiles)
        .field("first_op", stage.first)
        .field("ops", stage.ops)
        .field("peak_bytes", stage.peak);
    for (const StatField<StageStats>& field : StageStatFields)
      json.field(field.key,
                 stage.stats ? std::optional((*stage.stats).*field.member) : std::nullopt);
    json.endObject();
  }
  json.endArray();
}

} // namespace tigris
