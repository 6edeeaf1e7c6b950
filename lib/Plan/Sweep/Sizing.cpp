// Plans once per row, with shared drafts.
#include "tigris/Plan/Sweep/Sizing.h"

#include "tigris/Analysis/Overflow.h"
#include "tigris/Plan/Search/PlanDrafts.h"
#include "tigris/Support/Progress.h"

#include <algorithm>

namespace tigris {

Expected<std::vector<SizingRow>> sizingTable(const Graph& graph, const PlanOptions& options,
                                             const PlanFinisher& finish) {
  const uint64_t asked = options.budget.fast;
  PlanDrafts drafts(graph);
  std::map<uint64_t, std::string> budgets;
  for (const uint64_t budget : {asked / 4, asked / 2, asked * 2, asked * 4})
    if (budget != 0)
      budgets[budget];
  if (const Expected<BudgetNeeds> needs = budgetNeeds(graph, options, drafts)) {
    const bool byRows = options.movesRows(); // one whole stage cannot move rows
    if (!byRows)
      budgets[std::max<uint64_t>(needs->oneStage, 1)] = "one stage";
    budgets[std::max<uint64_t>(needs->smallest, 1)] =
        needs->smallest == needs->oneStage && !byRows ? "smallest, one stage" : "smallest";
  }
  std::string& remark = budgets[asked];
  remark = remark.empty() ? "requested" : "requested, " + remark;

  std::vector<SizingRow> rows;
  Progress progress("budget", budgets.size());
  for (const auto& [budget, why] : budgets) {
    progress.step();
    PlanOptions other = options;
    other.budget.fast = budget;
    other.reserve = 0;
    // With the objective memory, each of these rows would sweep over many budgets.
    if (budget != asked && other.optimize == Objective::Memory)
      other.optimize = Objective::Traffic;
    SizingRow row;
    row.fastBudget = budget;
    row.remark = why;
    Expected<Plan> plan = planGraph(graph, other, drafts);
    if (plan && finish)
      if (plan = finish(std::move(*plan)); !plan && plan.error().id() != DiagId::OverBudget)
        return plan.takeError();
    if (plan) {
      row.stats = plan->stats;
      row.counts = countStages(*plan);
      if (hasOverflow(graph, *plan))
        row.remark += row.remark.empty() ? "overflow" : ", overflow";
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace tigris
