// Plans with some of the sizes that ops need, and compares the plans.
#include "tigris/Plan/Sweep/BestScratch.h"

#include "tigris/Analysis/Overflow.h"
#include "tigris/Plan/PlanTime.h"
#include "tigris/Plan/Search/PlanDrafts.h"
#include "tigris/Support/Progress.h"
#include "tigris/Target/Target.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace tigris {

namespace {

/// What an op needs so that its own kernel runs, and what that saves.
struct Need {
  uint64_t scratch = 0;
  uint64_t saved = 0;

  bool operator<(const Need& other) const { return scratch < other.scratch; }
};

std::vector<Need> needsOf(const Graph& graph, const Target& target, const CallExtents& extents) {
  const KernelCosts reference = kernelCosts(KernelLibrary::Reference);
  std::vector<Need> needs;
  for (const OpId id : graph.order()) {
    const Op& op = graph.op(id);
    const uint64_t scratch = kernelScratch(graph, op, target.kernels, extents);
    const WorkClass work = workClass(graph, op);
    const double units =
        static_cast<double>(graph.tensor(op.output()).elements()) * workPerElement(graph, op);
    const double saved = (reference.of(work).unit - target.costs.of(work).unit) * units;
    if (scratch != 0 && saved > 0)
      needs.push_back({scratch, static_cast<uint64_t>(saved)});
  }
  std::sort(needs.begin(), needs.end());
  return needs;
}

/// Adds the sizes with which these shares of the savings are made.
void addShares(const std::vector<Need>& needs, uint64_t most, std::set<uint64_t>& sizes) {
  uint64_t all = 0;
  for (const Need& need : needs)
    all += need.scratch <= most ? need.saved : 0;
  for (const uint64_t percent : {50, 80, 95, 100}) {
    uint64_t sum = 0;
    for (const Need& need : needs) {
      sum += need.saved;
      if (need.scratch > most || sum * 100 < all * percent)
        continue;
      sizes.insert(need.scratch);
      break;
    }
  }
}

std::set<uint64_t> sizesWorthTrying(const Graph& graph, const PlanOptions& options,
                                    const Target& target) {
  const uint64_t most = (options.budget.fast - options.reserve) / 8 * 7;
  std::set<uint64_t> sizes = {0};
  addShares(needsOf(graph, target, {1, CallExtents::Whole, CallExtents::Whole}), most, sizes);
  addShares(needsOf(graph, target, {}), most, sizes);
  return sizes;
}

/// Overflow comes last, as reads by kernels do not count as traffic; then the cost of the
/// objective, then the modeled time.
using Rank = std::tuple<bool, uint64_t, uint64_t>;

Rank rankOf(const Graph& graph, const Plan& plan, const PlanOptions& options,
            const Target& target) {
  const KernelCosts costs = options.costs.value_or(target.costs);
  const bool overflow = hasOverflow(graph, plan);
  const uint64_t time = planTime(graph, plan, target, costs);
  if (options.optimize == Objective::Latency)
    return {overflow, time, plan.scratch};
  return {overflow, costOf(graph, plan, CostModel::traffic(options.macsPerSlowByte)), time};
}

} // namespace

bool choosesScratch(const PlanOptions& options) {
  const Expected<Target> target = findTarget(options.target);
  return target && scratchDependsOnCall(target->kernels) && !options.scratch &&
         options.optimize != Objective::Memory;
}

Expected<Plan> planBestScratch(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts) {
  const Expected<Target> target = findTarget(options.target);
  if (!target)
    return target.error();
  PlanOptions with = options;
  with.scratch = 0;
  Expected<Plan> best = planGraph(graph, with, drafts);
  if (!best)
    return best;
  const std::set<uint64_t> sizes = sizesWorthTrying(graph, options, *target);
  Progress progress("scratch", sizes.size());
  auto rank = rankOf(graph, *best, options, *target);
  for (const uint64_t size : sizes) {
    progress.step();
    if (size == 0)
      continue;
    with.scratch = size;
    Expected<Plan> plan = planGraph(graph, with, drafts);
    if (!plan)
      break; // nor does more leave enough for tensors
    if (const auto other = rankOf(graph, *plan, options, *target); other < rank) {
      best = std::move(plan);
      rank = other;
    }
  }
  return best;
}

} // namespace tigris
