// The optimal strategy: takes the greedy cuts if they cost less than those of the search.
#include "tigris/Plan/Search/StrategyTable.h"

namespace tigris {

std::optional<Cuts> cutOptimally(const Graph& graph, const StageDrafter& drafter,
                                 const SegmentOptions& rules) {
  std::optional<Cuts> searched = searchCuts(graph, drafter, rules);
  if (rules.stay)
    return searched;
  SegmentOptions cheaper = rules;
  if (searched)
    cheaper.limit = totalCost(drafter, searched->drafts);
  std::optional<Cuts> greedy = cutGreedily(graph, drafter, cheaper);
  return greedy ? std::move(greedy) : std::move(searched);
}

} // namespace tigris
