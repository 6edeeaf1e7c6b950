// The more a byte is worth, the less traffic and the more recomputation a plan has. The search
// finds the largest worth whose plan is within the limit.
#include "tigris/Plan/Sweep/LeastTraffic.h"

#include "tigris/Plan/Search/PlanDrafts.h"
#include "tigris/Support/StringUtils.h"

#include <tuple>

namespace tigris {

Status checkRecompute(const PlanStats& stats, const PlanOptions& options) {
  if (!options.recompute || stats.recomputeMacs * 100 <= *options.recompute * stats.macs)
    return {};
  return withReserveNote(
      makeError(DiagId::OverBudget, stats.recomputeMacs, " of ", stats.macs,
                " multiply-accumulates are recomputed in the plan found for this budget, ",
                *options.recompute,
                " percent are allowed; grant more fast memory or a higher --recompute"),
      options);
}

Expected<Plan> planLeastTraffic(const Graph& graph, const PlanOptions& options,
                                PlanDrafts& drafts) {
  constexpr uint64_t MostWorth = 4096;
  constexpr uint64_t Refinements = 8; // parts between a worth and its double
  PlanOptions free = options;
  free.recompute.reset();
  free.slowdown = 0;
  std::optional<Plan> best;
  std::optional<Error> refusal;
  const auto key = [](const PlanStats& stats) {
    return std::tuple(stats.trafficBytes(), stats.recomputeMacs, stats.kernelCalls);
  };
  const auto isWithin = [&](uint64_t worth) {
    free.macsPerSlowByte = worth;
    Expected<Plan> plan = planGraph(graph, free, drafts);
    Status status = plan ? checkRecompute(plan->stats, options) : plan.takeError();
    if (!status) {
      refusal = status.takeError();
      return false;
    }
    if (!best || key(plan->stats) < key(best->stats))
      best = std::move(*plan);
    return true;
  };
  if (!isWithin(0))
    return std::move(*refusal);
  uint64_t worth = 0;
  for (uint64_t next = 1; next <= MostWorth && isWithin(next); next *= 2)
    worth = next;
  for (uint64_t step = worth / 2; worth < MostWorth && step > worth / Refinements; step /= 2)
    if (isWithin(worth + step))
      worth += step;
  return std::move(*best);
}

} // namespace tigris
