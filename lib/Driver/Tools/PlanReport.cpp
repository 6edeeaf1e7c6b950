// Formats the lines and tables of -v.
#include "tigris/Driver/Tools/PlanReport.h"

#include "tigris/Inspect/TextTable.h"
#include "tigris/Support/Printable.h"

#include <cmath>

namespace tigris {

std::string oneDigit(double value) {
  const auto tenths = std::llround(value * 10);
  return strCat(tenths / 10, ".", tenths % 10);
}

std::string describePlan(const Graph& graph) {
  const Plan& plan = *graph.plan();
  const PlanStats& stats = plan.stats;
  std::string text =
      strCat("fast peak ", formatBytes(stats.fastPeakBytes), " of ", formatBytes(plan.budget.fast),
             ", at least ", formatBytes(plan.bounds.fastPeakBytes), " for ", plan.bounds.planClass,
             plan.provenOptimal ? " (proven optimal in that class)" : "", "\n");
  text += strCat("unscheduled peak ", formatBytes(stats.unscheduledPeakBytes));
  if (stats.peakOp)
    text += strCat(" at op '", printableName(graph.op(stats.peakOp).name), "' (",
                   printableName(graph.op(stats.peakOp).kindName()), ")");
  if (plan.scratch != 0)
    text += strCat("\nkernel scratch ", formatBytes(plan.scratch), " beside the fast peak");
  text += strCat("\nslow peak ", formatBytes(stats.slowPeakBytes), ", read ",
                 formatBytes(stats.slowReadBytes), ", written ", formatBytes(stats.slowWriteBytes),
                 "\ninterface ", formatBytes(stats.ioBytes), " (", ioModeName(plan.io), "), ",
                 stats.kernelCalls, " kernel calls, ", stats.macs, " MACs, ", stats.recomputeMacs,
                 " recomputed, ", plan.stages.size(),
                 plan.stages.size() == 1 ? " stage\n" : " stages\n");
  return text;
}

std::string sizingText(const std::vector<SizingRow>& rows) {
  TextTable table({">fast budget", ">fast peak", ">slow peak", ">slow traffic", ">vs. compulsory",
                   ">recomputed", ">calls", ">stages", ">tiled", ">streamed", "remark"});
  for (const SizingRow& row : rows) {
    if (!row.stats) {
      table.addRow({formatBytes(row.fastBudget), "does not fit", "", "", "", "", "", "", "", "",
                    row.remark});
      continue;
    }
    const PlanStats& stats = *row.stats;
    const uint64_t traffic = stats.trafficBytes();
    const auto ratio = [](uint64_t part, uint64_t whole, double unit) {
      return whole == 0 ? 0.0 : unit * static_cast<double>(part) / static_cast<double>(whole);
    };
    table.addRow(
        {formatBytes(row.fastBudget), strCat(stats.fastPeakBytes), strCat(stats.slowPeakBytes),
         strCat(traffic),
         traffic != 0 ? strCat(oneDigit(ratio(traffic, stats.compulsoryBytes, 1)), "x") : "-",
         strCat(oneDigit(ratio(stats.recomputeMacs, stats.macs, 100)), " %"),
         strCat(stats.kernelCalls), strCat(row.stages), strCat(row.tiledStages),
         strCat(row.streamedStages), row.remark});
  }
  return table.text();
}

} // namespace tigris
