// A run of ops as a tiled stage, evaluated for many budgets.
#pragma once

#include "tigris/Plan/Stage/CostModel.h"
#include "tigris/Plan/Stage/StageDraft.h"
#include "tigris/Plan/Stage/TileSearch.h"

namespace tigris {

/// Stores its results. Refers to the view.
class TiledCandidate {
public:
  TiledCandidate(const OrderView& view, AccessTable& access, size_t begin, size_t end);

  /// The stage in `budget` bytes, with the cheapest cut. nullopt if the ops cannot run in tiles or
  /// do not fit.
  std::optional<StageDraft> draft(uint64_t budget, const CostModel& costs,
                                  const Residents& residents);
  /// The stage with this cut, without residents. nullopt if the ops cannot run in these tiles.
  std::optional<StageDraft> cut(const TileCounts& tiles);

private:
  /// A cut without residents, and the slow bytes of each load.
  struct Found {
    StageDraft stage;
    LoadedBytes loaded;
  };
  std::optional<Found> search(uint64_t budget, const CostWeights& weights, const CostModel& costs);
  Found found(const TileCost& cost);

  const OrderView& view_;
  StageDraft interface_;
  std::optional<TileSearch> search_;
  /// By the weights, the scratch and the budget.
  std::map<std::tuple<CostWeights, uint64_t, uint64_t>, std::optional<Found>> found_;
};

} // namespace tigris
