// Bisects falling budgets: less fast memory takes more kernel calls.
#include "tigris/Plan/Sweep/LeastFast.h"

#include "tigris/Plan/PlanRequest.h"
#include "tigris/Plan/PlanTime.h"

namespace tigris {

namespace {

/// Budgets below that of the options, without a reserve, each three quarters of the one before. The
/// first of the series is what one stage needs.
std::vector<uint64_t> fallingBudgets(const PlanRequest& request) {
  const Schedule& best = request.schedules().best();
  const uint64_t least = request.stageNeed(best).bytes;
  std::vector<uint64_t> budgets;
  for (uint64_t bytes = best.layout.height; bytes >= least && bytes != 0; bytes = bytes * 3 / 4) {
    const uint64_t budget = request.budgetFor(alignUp(bytes, request.align()));
    if (budget < request.fast().forPlan())
      budgets.push_back(budget);
  }
  return budgets;
}

} // namespace

bool mayLeaveFree(const PlanOptions& options) {
  return options.slowdown != 0 && options.budget.slow && options.io != IoMode::Arena &&
         options.optimize == Objective::Traffic && !options.recompute &&
         options.planner == Strategy::Optimal;
}

Plan planLeastFast(const Graph& graph, const PlanOptions& options, Plan plan, PlanDrafts& drafts,
                   const std::function<Expected<Plan>(const PlanOptions&)>& planIn) {
  const Expected<PlanRequest> request = PlanRequest::make(drafts, options);
  const Expected<Target> target = findTarget(options.target);
  const uint64_t bytes = plan.stats.trafficBytes();
  const uint64_t compulsory = plan.io == IoMode::Slow ? plan.stats.compulsoryBytes : 0;
  if (!request || !target || bytes > compulsory || plan.stats.recomputeMacs != 0)
    return plan;
  const KernelCosts costs = options.costs.value_or(target->costs);
  const uint64_t one = oneStageTime(graph, bytes, costs);
  const uint64_t most = one + one * options.slowdown / 100;
  const std::vector<uint64_t> budgets = fallingBudgets(*request);
  PlanOptions less = options;
  for (size_t low = 0, high = budgets.size(); low < high;) {
    const size_t middle = low + (high - low) / 2;
    less.budget.fast = budgets[middle] + options.reserve;
    Expected<Plan> other = planIn(less);
    const bool isFastEnough = other && other->stats.trafficBytes() == bytes &&
                              planTime(graph, *other, *target, costs) <= most;
    if (isFastEnough) {
      low = middle + 1;
      if (other->stats.fastPeakBytes < plan.stats.fastPeakBytes)
        plan = std::move(*other);
    } else {
      high = middle;
    }
  }
  plan.budget = options.budget;
  return plan;
}

} // namespace tigris
