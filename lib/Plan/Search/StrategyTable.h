// The table of the planner's strategies.
#pragma once

#include "tigris/Plan/PlanOptions.h"
#include "tigris/Plan/Search/CutSearch.h"

namespace tigris {

/// A row of Strategies.def.
struct StrategyInfo {
  Strategy id;
  std::string_view name;
  bool withoutSlow;
  bool allOrders;
  /// Cuts the order of the drafter into stages in rules.budget bytes. If there is slow memory,
  /// every op fits alone, if need be with tensors in slow memory (draftOverflow). nullopt if
  /// nothing fits. Called without slow memory only if `withoutSlow`.
  std::optional<Cuts> (*cut)(const Graph& graph, const StageDrafter& drafter,
                             const SegmentOptions& rules);
};

std::span<const StrategyInfo> allStrategies();
const StrategyInfo& strategyInfo(Strategy strategy);

#define TIGRIS_STRATEGY(id, name, function, ...)                                                   \
  std::optional<Cuts> function(const Graph& graph, const StageDrafter& drafter,                    \
                               const SegmentOptions& rules);
#include "tigris/Plan/Strategies.def"

} // namespace tigris
