// The optimal strategy: takes the greedy cuts if they cost less than those of the search.
#include "tigris/Plan/Search/StrategyTable.h"

namespace tigris {

std::optional<Cuts> cutOptimally(const Graph& graph, const StageDrafter& drafter,
                                 const SegmentOptions& rules) {
  std::optional<Cuts> searched = searchCuts(graph, drafter, rules);
  if (rules.stay)
    return searched;
  std::optional<Cuts> greedy = cutGreedily(graph, drafter, rules);
  const auto cost = [&](const Cuts& cuts) { return totalCost(drafter, cuts.drafts); };
  return searched && cost(*searched) <= cost(*greedy) ? searched : greedy;
}

} // namespace tigris
