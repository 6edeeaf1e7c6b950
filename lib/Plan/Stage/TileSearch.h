// Chooses how finely a tiled stage is cut.
#pragma once

#include "tigris/Plan/Stage/CostModel.h"
#include "tigris/Plan/Stage/TileModel.h"

#include <map>

namespace tigris {

/// What a cut costs more for lack of scratch (KernelChoice).
struct TileLacking {
  std::function<uint64_t(const TileCost&)> of;
  /// Whether it adds to the cost of a cut, or only decides between equal costs.
  bool isCost = false;
};

/// Searches the cuts of one model for any number of budgets. Each cut is evaluated once.
class TileSearch {
public:
  TileSearch(TileModel model, uint64_t align) : model_(std::move(model)), align_(align) {}
  TileModel& model() { return model_; }
  /// The cheapest cut that fits `budget` bytes, if all bytes copied count as slow bytes; of equal
  /// costs, the one with the fewest kernel calls. nullopt if nothing fits.
  ///
  /// A chain is cut along one axis only: along the rows, with the indices of the outermost axis one
  /// at a time. Binary search finds the fewest parts that fit, because more parts mean smaller
  /// buffers and a larger halo. A single op may be cut along every axis: for each choice of columns
  /// and channels, the same search is made over the rows. With `lacking`, cuts that lack less
  /// scratch are tried, too.
  std::optional<TileCost> search(uint64_t budget, const CostWeights& weights = {},
                                 const TileLacking& lacking = {});

  /// Frees the cuts. Later searches evaluate them again.
  void forget();

private:
  class Search;
  /// A well-formed cut. The height of a layout is set when it is first needed.
  struct Cut {
    TileCost cost;
    uint64_t lowerBound = 0;
    std::optional<uint64_t> height = {};
    /// Whether no lower layout is found.
    bool isLowest = false;
  };
  /// Null if the cut is not well-formed.
  Cut* find(const TileCounts& tiles);
  /// False if a lower bound shows that the cut does not fit or is not well-formed, before anything
  /// else is known about it. `any`: that no cut fits, whatever the number of parts along the axis.
  bool mayFit(const TileCounts& tiles, size_t axis, uint64_t budget, bool any = false);
  bool fits(Cut& cut, uint64_t budget);

  TileModel model_;
  uint64_t align_;
  std::map<TileCounts, std::optional<Cut>> cuts_;
};

} // namespace tigris
