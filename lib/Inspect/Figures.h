// Renders the figures of plans and stages. Text dumps, -v, the page and JSON take their labels,
// order and units from here.
#pragma once

#include "tigris/IR/PlanStats.h"
#include "tigris/Inspect/Report.h"
#include "tigris/Inspect/TextTable.h"

namespace tigris {

/// "fast memory", "peak 384 bytes of 400 B; at least 193 bytes (...)".
struct FigureLine {
  std::string_view label;
  std::string text;
};

/// A line for every known figure of the report, except for those of stages.
std::vector<FigureLine> figureLines(const Report& report);

/// "label         text\n"; all labels take the same width.
std::string labeledLine(std::string_view label, const std::string& text);
/// The figures as such lines.
std::string figureText(const Report& report);

/// A line per stage; "-" where a figure is unknown.
TextTable stageTable(const Report& report);
/// Why the stages lack figures; empty if they do not.
std::string missingStatsNote(const Report& report);

/// The columns that describe a plan as one row of a table, and the cells.
std::vector<std::string> planColumns();
std::vector<std::string> planCells(const PlanStats& stats, const StageCounts& counts);
/// The same for a budget that nothing fits.
std::vector<std::string> misfitCells();

/// Write fields to the object that is open in `json`; null for what is unknown. With
/// `modelOnly`, only the figures of the model are known.
void writeStats(JsonWriter& json, const PlanStats* stats, bool modelOnly = false);
void writeCounts(JsonWriter& json, const StageCounts* counts);
/// The key "stage_stats": an object per stage in execution order; null without a plan.
void writeStages(JsonWriter& json, const Report& report);

} // namespace tigris
