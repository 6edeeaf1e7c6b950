// Formats the Pareto front as a table and as a JSON object.
#include "tigris/Driver/Tools/ParetoReport.h"

#include "tigris/Driver/Tools/PlanReport.h"
#include "tigris/Inspect/TextTable.h"
#include "tigris/Support/Json.h"

namespace tigris {

std::string paretoText(const std::vector<ParetoPoint>& front) {
  TextTable table({">fast budget", "optimized", ">fast peak", ">slow peak", ">slow traffic",
                   ">recomputed", ">calls", ">stages"});
  for (const ParetoPoint& point : front) {
    const PlanStats& stats = point.stats;
    const double share = stats.macs == 0 ? 0
                                         : 100.0 * static_cast<double>(stats.recomputeMacs) /
                                               static_cast<double>(stats.macs);
    table.addRow({formatBytes(point.fastBudget), std::string(objectiveName(point.optimize)),
                  strCat(stats.fastPeakBytes), strCat(stats.slowPeakBytes),
                  strCat(stats.trafficBytes()), strCat(oneDigit(share), " %"),
                  strCat(stats.kernelCalls), strCat(point.stages)});
  }
  return table.text();
}

std::string paretoJson(const std::vector<ParetoPoint>& front) {
  JsonWriter json;
  json.beginObject().key("plans").beginArray();
  for (const ParetoPoint& point : front) {
    const PlanStats& stats = point.stats;
    json.beginObject(JsonWriter::Inline)
        .field("budget_fast", point.fastBudget)
        .field("optimize", objectiveName(point.optimize))
        .field("fast_peak_bytes", stats.fastPeakBytes)
        .field("slow_peak_bytes", stats.slowPeakBytes)
        .field("slow_read_bytes", stats.slowReadBytes)
        .field("slow_write_bytes", stats.slowWriteBytes)
        .field("recompute_macs", stats.recomputeMacs)
        .field("kernel_calls", stats.kernelCalls)
        .field("stages", point.stages)
        .endObject();
  }
  json.endArray().endObject();
  return json.text();
}

} // namespace tigris
