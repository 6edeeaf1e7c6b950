// Plans for many budgets and two objectives, then drops the plans that others cover.
#include "tigris/Plan/Sweep/Pareto.h"

#include "tigris/Plan/Search/PlanDrafts.h"
#include "tigris/Support/Progress.h"

#include <algorithm>
#include <set>

namespace tigris {

namespace {

std::array<uint64_t, 5> figures(const ParetoPoint& point) {
  const PlanStats& stats = point.stats;
  return {stats.fastPeakBytes, stats.trafficBytes(), stats.slowPeakBytes, stats.recomputeMacs,
          stats.kernelCalls};
}

/// Whether `a` is at least as good as `b` in every figure.
bool covers(const ParetoPoint& a, const ParetoPoint& b) {
  const auto ours = figures(a);
  const auto theirs = figures(b);
  for (size_t i = 0; i < ours.size(); ++i)
    if (ours[i] > theirs[i])
      return false;
  return true;
}

std::set<uint64_t> budgetsBetween(uint64_t least, uint64_t most) {
  std::set<uint64_t> budgets = {most};
  for (uint64_t at = least; at < most; at += at / 4 + 1)
    budgets.insert(at);
  return budgets;
}

} // namespace

Expected<std::vector<ParetoPoint>> paretoFront(const Graph& graph, const PlanOptions& asked,
                                               const PlanFinisher& finish) {
  PlanDrafts drafts(graph);
  Expected<BudgetNeeds> needs = budgetNeeds(graph, asked, drafts);
  if (!needs)
    return needs.error();
  const PlanOptions options = decideSlow(asked, *needs);
  if (options.budget.slow && !asked.budget.slow)
    if (needs = budgetNeeds(graph, options, drafts); !needs)
      return needs.error();
  const uint64_t most = std::max<uint64_t>(
      1, std::min(options.budget.fast, std::max(needs->oneStage, needs->smallest)));
  const std::set<uint64_t> budgets = budgetsBetween(std::max<uint64_t>(1, needs->smallest), most);
  std::vector<ParetoPoint> all;
  std::optional<Error> refusal;
  Progress progress("budget", budgets.size());
  for (const uint64_t budget : budgets) {
    progress.step();
    for (const Objective optimize : {Objective::Traffic, Objective::Latency}) {
      PlanOptions within = options;
      within.budget.fast = budget;
      within.optimize = optimize;
      within.slowdown = 0;
      Expected<Plan> plan = planGraph(graph, within, drafts);
      if (plan && finish)
        if (plan = finish(std::move(*plan)); !plan && plan.error().id() != DiagId::OverBudget)
          return plan.takeError();
      if (plan)
        all.push_back({budget, optimize, plan->stats, countStages(*plan)});
      else
        refusal = plan.takeError();
    }
  }
  if (all.empty())
    return *refusal;
  std::stable_sort(all.begin(), all.end(), [](const ParetoPoint& a, const ParetoPoint& b) {
    return figures(a) < figures(b);
  });
  // The points are sorted, so only an earlier or an equal point can cover a point.
  std::vector<ParetoPoint> front;
  for (const ParetoPoint& point : all)
    if (std::none_of(front.begin(), front.end(),
                     [&](const ParetoPoint& known) { return covers(known, point); }))
      front.push_back(point);
  return front;
}

} // namespace tigris
