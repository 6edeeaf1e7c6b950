// The memory of a cut falls as the number of parts rises, so the fewest parts that fit are found by bisection.
#include "tigris/Plan/TileSearch.h"

#include <algorithm>
#include <utility>

namespace tigris {

namespace {

class Search {
public:
  Search(TileModel& model, uint64_t budget, uint64_t align, const CostWeights& weights)
      : model_(model), budget_(budget), align_(align), weights_(weights) {}

  std::optional<TileCost> run() {
    const int64_t outer = model_.legalParts(0, model_.extent(0));
    if (model_.isChain()) {
      // With a single axis before the channels, that axis is the rows.
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
  /// Numbers of parts worth trying: each leaves parts of another size by a third or more. The last one is
  /// the finest there is.
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

  std::optional<TileCost> fitting(const TileCounts& tiles) {
    std::optional<TileCost> cost = model_.cost(tiles);
    if (!cost || model_.lowerBound(*cost, align_) > budget_ ||
        model_.layOut(*cost, align_).height > budget_)
      return std::nullopt;
    return cost;
  }

  /// The fewest parts along `axis` that fit, the other axes as given.
  void bisect(TileCounts tiles, size_t axis) {
    const int64_t extent = model_.extent(axis);
    int64_t low = 1; // everything below does not fit
    int64_t high = extent;
    std::optional<TileCost> found;
    const auto tryCount = [&](int64_t count) {
      tiles.at(axis) = count;
      return fitting(tiles);
    };
    // The finest cut that is well-formed tells whether there is any.
    for (; high >= 1; --high) {
      tiles.at(axis) = high;
      if (model_.cost(tiles))
        break;
    }
    if (high < 1 || !(found = tryCount(high)))
      return;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (std::optional<TileCost> cost = tryCount(middle)) {
        found = std::move(cost);
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    keep(std::move(*found));
  }

  void keep(TileCost cost) {
    const auto rank = [&](const TileCost& c) {
      return std::pair(weights_.of(c.loadBytes + c.storeBytes, c.recomputeMacs, c.kernelCalls),
                       c.kernelCalls);
    };
    if (!best_ || rank(cost) < rank(*best_))
      best_ = std::move(cost);
  }

  TileModel& model_;
  uint64_t budget_;
  uint64_t align_;
  CostWeights weights_;
  std::optional<TileCost> best_;
};

} // namespace

std::optional<TileCost> searchTiles(TileModel& model, uint64_t budget, uint64_t align,
                                    const CostWeights& weights) {
  return Search(model, budget, align, weights).run();
}

} // namespace tigris
