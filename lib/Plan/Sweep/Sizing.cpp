// Plans once per row, with shared drafts.
#include "tigris/Plan/Sweep/Sizing.h"

#include "tigris/Analysis/Overflow.h"
#include "tigris/Plan/Search/PlanDrafts.h"
#include "tigris/Support/Progress.h"

#include <algorithm>

namespace tigris {

namespace {

/// The smallest budget that works with slow memory, if the options may add it.
std::optional<uint64_t> smallestWithSlow(const Graph& graph, const PlanOptions& options,
                                         PlanDrafts& drafts) {
  if (!mayAddSlow(options))
    return std::nullopt;
  const Expected<BudgetNeeds> needs = budgetNeeds(graph, withSlowAsNeeded(options), drafts);
  return needs ? std::optional(needs->smallest) : std::nullopt;
}

/// Adds a budget, and to its remarks why.
void addBudget(std::map<uint64_t, std::string>& budgets, uint64_t bytes, const std::string& why) {
  std::string& remark = budgets[std::max<uint64_t>(bytes, 1)];
  remark += remark.empty() ? why : ", " + why;
}

} // namespace

Expected<std::vector<SizingRow>> sizingTable(const Graph& graph, const PlanOptions& options,
                                             const PlanFinisher& finish) {
  const uint64_t asked = options.budget.fast;
  PlanDrafts drafts(graph);
  std::map<uint64_t, std::string> budgets;
  addBudget(budgets, asked, "requested");
  const Expected<BudgetNeeds> needs = budgetNeeds(graph, options, drafts);
  if (needs) {
    const std::optional<uint64_t> withSlow = smallestWithSlow(graph, options, drafts);
    if (withSlow && *withSlow < needs->smallest) {
      addBudget(budgets, *withSlow, "smallest");
      addBudget(budgets, needs->smallest, "smallest without slow memory");
    } else {
      addBudget(budgets, needs->smallest, "smallest");
    }
    if (!options.movesRows()) // one whole stage cannot move rows
      addBudget(budgets, needs->oneStage, "one stage");
  }
  for (const uint64_t budget : {asked / 4, asked / 2, asked * 2, asked * 4})
    if (budget != 0)
      budgets[budget];

  std::vector<SizingRow> rows;
  Progress progress("budget", budgets.size());
  for (const auto& [budget, why] : budgets) {
    progress.step();
    PlanOptions other = options;
    other.budget.fast = budget;
    other.reserve = 0;
    if (needs)
      other = decideSlow(other, *needs);
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
