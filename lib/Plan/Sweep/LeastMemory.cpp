// Tries rising fast budgets and keeps the plan with the least memory.
#include "tigris/Plan/Sweep/LeastMemory.h"

#include <algorithm>

namespace tigris {

namespace {

uint64_t memoryOf(const Plan& plan) { return plan.stats.fastPeakBytes + plan.stats.slowPeakBytes; }

/// The plan that uses the least memory among the plans for traffic in rising budgets, each a
/// quarter above the one before.
Expected<Plan> sweep(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts) {
  const Expected<BudgetNeeds> needs = budgetNeeds(graph, options, drafts);
  if (!needs)
    return needs.error();
  PlanOptions within = options;
  within.optimize = Objective::Traffic;
  within.slowdown = 0;
  std::optional<Plan> best;
  std::optional<Error> refusal;
  const uint64_t least = std::max<uint64_t>(needs->smallest, 1); // a budget of 0 is invalid
  const uint64_t most =
      std::min(options.budget.fast - options.reserve, std::max(needs->oneStage, least));
  // A larger budget can be better only if it and the interface take less memory than the best plan.
  const auto mayBeBetter = [&](uint64_t fast) {
    const uint64_t slow = best && best->io == IoMode::Slow ? best->stats.ioBytes : 0;
    return !best || (options.budget.slow && fast + slow < memoryOf(*best));
  };
  for (uint64_t fast = least; mayBeBetter(fast); fast += fast / 4 + 1) {
    within.budget.fast = std::min(fast, most) + options.reserve;
    Expected<Plan> plan = planGraph(graph, within, drafts);
    if (!plan)
      refusal = plan.takeError();
    else if (!best || memoryOf(*plan) < memoryOf(*best))
      best = std::move(*plan);
    if (fast >= most)
      break;
  }
  if (!best)
    return *refusal;
  best->budget = options.budget;
  best->optimize = objectiveName(options.optimize);
  return std::move(*best);
}

} // namespace

Expected<Plan> planLeastMemory(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts) {
  PlanOptions once = options;
  if (!options.budget.slow)
    once.recompute = 0;
  Expected<Plan> plan = sweep(graph, once, drafts);
  if (!plan && once.recompute != options.recompute)
    plan = sweep(graph, options, drafts);
  if (!plan || options.planner != Strategy::Optimal || !options.budget.slow)
    return plan;
  // The optimal strategy minimizes traffic and may use more slow memory than the greedy one for
  // that.
  PlanOptions other = options;
  other.planner = Strategy::Greedy;
  Expected<Plan> greedy = sweep(graph, other, drafts);
  if (greedy && memoryOf(*greedy) < memoryOf(*plan)) {
    greedy->planner = strategyName(options.planner);
    return greedy;
  }
  return plan;
}

} // namespace tigris
