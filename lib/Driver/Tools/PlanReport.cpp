// Formats a row per budget, with the columns of Inspect/Figures.h.
#include "tigris/Driver/Tools/PlanReport.h"

#include "tigris/Inspect/Figures.h"

namespace tigris {

std::string sizingText(const std::vector<SizingRow>& rows) {
  std::vector<std::string> headings = planColumns();
  headings.insert(headings.begin(), ">fast budget");
  headings.emplace_back("remark");
  TextTable table(std::move(headings));
  for (const SizingRow& row : rows) {
    std::vector<std::string> cells = row.stats ? planCells(*row.stats, row.counts) : misfitCells();
    cells.insert(cells.begin(), formatBytes(row.fastBudget));
    cells.push_back(row.remark);
    table.addRow(std::move(cells));
  }
  return table.text();
}

void writeSizing(JsonWriter& json, const std::vector<SizingRow>& rows) {
  json.key("budgets").beginArray();
  for (const SizingRow& row : rows) {
    json.beginObject(JsonWriter::Inline)
        .field("fast", row.fastBudget)
        .field("remark", row.remark)
        .field("fits", row.stats.has_value());
    if (row.stats) {
      writeStats(json, &*row.stats);
      writeCounts(json, &row.counts);
    }
    json.endObject();
  }
  json.endArray();
}

} // namespace tigris
