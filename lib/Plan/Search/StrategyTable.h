// The table of the planner's strategies.
#pragma once

#include "tigris/Plan/PlanOptions.h"
#include "tigris/Plan/Search/CutSearch.h"
#include "tigris/Plan/Stage/StageNeed.h"

namespace tigris {

/// A row of Strategies.def.
struct StrategyInfo {
  Strategy id;
  std::string_view name;
  OpNeed need;
  bool withoutSlow;
  bool allOrders;
  bool mergesStages;
  /// Cuts the order of the drafter into stages in rules.budget bytes. If there is slow memory,
  /// every op fits alone, if need be with tensors in slow memory (draftOverflow). nullopt if
  /// nothing fits, or nothing costs less than the limit of the rules. Called without slow memory
  /// only if `withoutSlow`.
  std::optional<Cuts> (*cut)(const Graph& graph, const StageDrafter& drafter,
                             const SegmentOptions& rules);
};

std::span<const StrategyInfo> allStrategies();
const StrategyInfo& strategyInfo(Strategy strategy);

#define TIGRIS_STRATEGY(id, name, function, need, ...)                                             \
  std::optional<Cuts> function(const Graph& graph, const StageDrafter& drafter,                    \
                               const SegmentOptions& rules);                                       \
  uint64_t need(const StageDrafter& drafter, size_t step);
#include "tigris/Plan/Strategies.def"

} // namespace tigris
