// Strategies.def as an array, in the order of the enumerators.
#include "tigris/Plan/Search/StrategyTable.h"

namespace tigris {

namespace {

constexpr StrategyInfo StrategyRows[] = {
#define TIGRIS_STRATEGY(id, name, function, need, withoutSlow, allOrders, mergesStages)            \
  {Strategy::id, name, need, withoutSlow, allOrders, mergesStages, function},
#include "tigris/Plan/Strategies.def"
};

} // namespace

std::span<const StrategyInfo> allStrategies() { return StrategyRows; }

const StrategyInfo& strategyInfo(Strategy strategy) {
  return StrategyRows[static_cast<size_t>(strategy)];
}

} // namespace tigris
