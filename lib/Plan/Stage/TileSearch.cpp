// The memory of a cut decreases as the number of parts increases, so bisection finds the fewest
// parts that fit.
#include "tigris/Plan/Stage/TileSearch.h"

#include <algorithm>
#include <tuple>

namespace tigris {

/// The search for one budget.
class TileSearch::Search {
public:
  Search(TileSearch& cuts, uint64_t budget, const CostWeights& weights, const TileLacking& lacking)
      : cuts_(cuts), model_(cuts.model_), budget_(budget), weights_(weights), lacking_(lacking) {}

  std::optional<TileCost> run() {
    const int64_t outer = model_.legalParts(0, model_.extent(0));
    if (model_.isChain()) {
      // If there is a single axis before the channels, it is the row axis.
      if (model_.extent(2) == 1 && model_.extent(3) == 1 && outer > 1)
        bisect({1, 1, 1, 1}, 0);
      bisect({outer, 1, 1, 1}, 1);
      return best_;
    }
    for (const int64_t channels : counts(3))
      for (const int64_t columns : counts(2)) {
        bisect({1, 1, columns, channels}, 1);
        if (outer > 1) {
          bisect({outer, 1, columns, channels}, 1);
          for (const int64_t rows : counts(1))
            bisect({1, rows, columns, channels}, 0);
        }
      }
    return best_;
  }

private:
  /// Numbers of parts worth trying. Each changes the size of a part by a third or more. The last
  /// one is the finest cut.
  std::vector<int64_t> counts(size_t axis) const {
    const int64_t extent = model_.extent(axis);
    std::vector<int64_t> result;
    const auto add = [&](int64_t most) {
      const int64_t parts = model_.legalParts(axis, most);
      if (result.empty() || result.back() != parts)
        result.push_back(parts);
    };
    for (int64_t power = 1; power < extent; power *= 2) {
      add(power);
      if (power >= 2 && power * 3 / 2 < extent)
        add(power * 3 / 2);
    }
    add(extent);
    return result;
  }

  /// Tries the fewest parts along `axis` that fit. The other axes are cut as in `tiles`.
  void bisect(TileCounts tiles, size_t axis) {
    const int64_t extent = model_.extent(axis);
    int64_t low = 1; // fewer parts do not fit
    int64_t high = extent;
    const auto cutAt = [&](int64_t count) {
      tiles.at(axis) = count;
      return cuts_.find(tiles);
    };
    tiles.at(axis) = extent;
    if (!cuts_.mayFit(tiles, axis, budget_, true))
      return;
    // The finest well-formed cut shows whether any cut fits.
    Cut* found = nullptr;
    while (high >= 1 && (found = cutAt(high)) == nullptr)
      --high;
    if (found == nullptr || !cuts_.fits(*found, budget_))
      return;
    Cut* const finest = found;
    const int64_t most = high;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      tiles.at(axis) = middle;
      Cut* cut = cuts_.mayFit(tiles, axis, budget_) ? cuts_.find(tiles) : nullptr;
      if (cut != nullptr && cuts_.fits(*cut, budget_)) {
        found = cut;
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    keep(found->cost);
    const uint64_t least = lack(finest->cost);
    if (lack(found->cost) <= least)
      return;
    for (high = most; low < high;) { // the fewest parts that lack no more than the finest cut
      const int64_t middle = low + (high - low) / 2;
      if (Cut* cut = cutAt(middle); cut != nullptr && lack(cut->cost) <= least)
        high = middle;
      else
        low = middle + 1;
    }
    if (Cut* cut = cutAt(high); cut != nullptr && cuts_.fits(*cut, budget_))
      keep(cut->cost);
  }

  uint64_t lack(const TileCost& cost) const { return lacking_.of ? lacking_.of(cost) : 0; }

  void keep(const TileCost& cost) {
    const auto rank = [&](const TileCost& c) {
      const uint64_t lacking = lack(c);
      return std::tuple(weights_.of(c.loadBytes + c.storeBytes, c.recomputeMacs, c.kernelCalls) +
                            (lacking_.isCost ? lacking : 0),
                        lacking, c.kernelCalls);
    };
    if (!best_ || rank(cost) < rank(*best_))
      best_ = cost;
  }

  TileSearch& cuts_;
  TileModel& model_;
  uint64_t budget_;
  CostWeights weights_;
  const TileLacking& lacking_;
  std::optional<TileCost> best_;
};

std::optional<TileCost> TileSearch::search(uint64_t budget, const CostWeights& weights,
                                           const TileLacking& lacking) {
  return Search(*this, budget, weights, lacking).run();
}

void TileSearch::forget() {
  cuts_.clear();
  model_.forget();
}

TileSearch::Cut* TileSearch::find(const TileCounts& tiles) {
  const auto [entry, isNew] = cuts_.try_emplace(tiles);
  if (isNew)
    if (std::optional<TileCost> cost = model_.cost(tiles)) {
      const uint64_t lowerBound = model_.lowerBound(*cost, align_);
      entry->second = {std::move(*cost), lowerBound};
    }
  return entry->second ? &*entry->second : nullptr;
}

bool TileSearch::mayFit(const TileCounts& tiles, size_t axis, uint64_t budget, bool any) {
  if (cuts_.count(tiles) != 0)
    return true;
  const std::optional<uint64_t> least =
      model_.leastBytes(tiles, axis, any ? std::nullopt : std::optional(tiles.at(axis)), align_);
  return least && *least <= budget;
}

bool TileSearch::fits(Cut& cut, uint64_t budget) {
  if (cut.lowerBound > budget)
    return false;
  if (!cut.height || (*cut.height > budget && !cut.isLowest)) {
    cut.height = layoutArenaWithin(cut.cost.buffers, align_, cut.lowerBound, budget).height;
    cut.isLowest = *cut.height > budget || *cut.height == cut.lowerBound;
  }
  return *cut.height <= budget;
}

} // namespace tigris
