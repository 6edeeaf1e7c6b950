// Formats the Pareto front as a table and as a JSON object.
#include "tigris/Driver/Tools/ParetoReport.h"

#include "tigris/Inspect/Figures.h"

namespace tigris {

std::string paretoText(const std::vector<ParetoPoint>& front) {
  std::vector<std::string> headings = planColumns();
  headings.insert(headings.begin(), {">fast budget", "optimized"});
  TextTable table(std::move(headings));
  for (const ParetoPoint& point : front) {
    std::vector<std::string> cells = planCells(point.stats, point.counts);
    cells.insert(cells.begin(),
                 {formatBytes(point.fastBudget), std::string(objectiveName(point.optimize))});
    table.addRow(std::move(cells));
  }
  return table.text();
}

std::string paretoJson(const std::vector<ParetoPoint>& front) {
  JsonWriter json;
  json.beginObject().key("plans").beginArray();
  for (const ParetoPoint& point : front) {
    json.beginObject(JsonWriter::Inline)
        .field("budget_fast", point.fastBudget)
        .field("optimize", objectiveName(point.optimize));
    writeStats(json, &point.stats);
    writeCounts(json, &point.counts);
    json.endObject();
  }
  json.endArray().endObject();
  return json.text();
}

} // namespace tigris
