// Greedy placement in several orders, improved by promoting the buffer on top, then by an exact
// search.
#include "tigris/Plan/Layout/ArenaLayout.h"

#include "tigris/Analysis/MemoryTimeline.h"
#include "tigris/Plan/Layout/OffsetSearch.h"
#include "tigris/Plan/Layout/Overlaps.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

namespace tigris {

namespace {

enum class Gap : uint8_t { Lowest, Tightest };

constexpr size_t MaxComparisons = 40'000'000;
constexpr size_t MaxPromotions = 40;

using Order = std::vector<size_t>;

class Layouter {
public:
  Layouter(std::span<const LiveBuffer> buffers, uint64_t align)
      : buffers_(buffers), align_(align),
        overlaps_(Overlaps::find(
            buffers, std::min(MaxOverlaps, buffers.size() * buffers.size() / SparseShare))) {}

  ArenaLayout place(const Order& order, Gap gap) const {
    ArenaLayout layout;
    layout.offsets.assign(buffers_.size(), Unplaced);
    Order byOffset;
    for (const size_t index : order) {
      const uint64_t offset = lowestFit(index, obstacles(index, layout, byOffset), gap, layout);
      layout.offsets[index] = offset;
      layout.height = std::max(layout.height, offset + buffers_[index].bytes);
      if (overlaps_)
        continue;
      const auto at = std::upper_bound(
          byOffset.begin(), byOffset.end(), offset,
          [&](uint64_t value, size_t entry) { return value < layout.offsets[entry]; });
      byOffset.insert(at, index);
    }
    return layout;
  }

  /// Buffers in descending order of a key; equal keys keep their order.
  Order descending(const std::function<uint64_t(const LiveBuffer&)>& key) const {
    Order order(buffers_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return key(buffers_[a]) > key(buffers_[b]); });
    return order;
  }

private:
  static constexpr uint64_t Unplaced = UINT64_MAX;
  /// Overlaps are listed if few of the buffers are alive at the same time, as in long chains of
  /// operators.
  static constexpr size_t SparseShare = 16;
  static constexpr size_t MaxOverlaps = 8'000'000;

  /// The placed buffers, sorted by offset: those that overlap buffer `index` if overlaps are
  /// listed, otherwise all.
  const Order& obstacles(size_t index, const ArenaLayout& layout, const Order& byOffset) const {
    if (!overlaps_)
      return byOffset;
    const std::span<const uint32_t> neighbors = overlaps_->of(index);
    placed_.clear();
    std::copy_if(neighbors.begin(), neighbors.end(), std::back_inserter(placed_),
                 [&](uint32_t other) { return layout.offsets[other] != Unplaced; });
    std::sort(placed_.begin(), placed_.end(),
              [&](size_t a, size_t b) { return layout.offsets[a] < layout.offsets[b]; });
    return placed_;
  }

  /// The offset of a buffer in a gap between obstacles, which are sorted by offset, or above them.
  uint64_t lowestFit(size_t index, const Order& obstacles, Gap gap,
                     const ArenaLayout& layout) const {
    const LiveBuffer& buffer = buffers_[index];
    const uint64_t size = alignUp(buffer.bytes, align_);
    uint64_t candidate = 0; // end of the obstacles visited so far
    uint64_t best = UINT64_MAX;
    uint64_t bestGap = UINT64_MAX;
    for (const size_t other : obstacles) {
      if (!buffer.overlaps(buffers_[other]))
        continue;
      const uint64_t start = layout.offsets[other];
      if (start >= candidate + size && start - candidate < bestGap) {
        best = candidate;
        bestGap = start - candidate;
        if (gap == Gap::Lowest)
          break;
      }
      candidate = std::max(candidate, start + alignUp(buffers_[other].bytes, align_));
    }
    return best == UINT64_MAX ? candidate : best;
  }

  std::span<const LiveBuffer> buffers_;
  uint64_t align_;
  std::optional<Overlaps> overlaps_;
  mutable Order placed_;
};

/// Live bytes at the busiest step of each buffer's life, as a key for `descending`.
std::function<uint64_t(const LiveBuffer&)> pressure(std::span<const LiveBuffer> buffers) {
  uint32_t last = 0;
  for (const LiveBuffer& buffer : buffers)
    last = std::max(last, buffer.death);
  std::vector<uint64_t> live = computeTimeline(buffers, size_t{last} + 1, 1).live;
  return [live = std::move(live)](const LiveBuffer& buffer) {
    return *std::max_element(live.begin() + buffer.birth, live.begin() + buffer.death + 1);
  };
}

ArenaLayout layOutGreedily(std::span<const LiveBuffer> buffers, uint64_t align, uint64_t bound) {
  const auto lifetime = [](const LiveBuffer& b) { return uint64_t{b.death} - b.birth + 1; };
  const Layouter layouter(buffers, align);
  using Maker = std::function<Order()>;
  const Maker makers[] = {
      [&] { return layouter.descending([](const LiveBuffer& b) { return b.bytes; }); },
      [&] {
        return layouter.descending([&](const LiveBuffer& b) { return b.bytes * lifetime(b); });
      },
      [&] { return layouter.descending(pressure(buffers)); },
      [&] { return layouter.descending(lifetime); },
      [&] { return layouter.descending([](const LiveBuffer& b) { return UINT64_MAX - b.birth; }); },
  };
  std::vector<Order> orders; // made when needed: the first is usually as good as any

  size_t attempts =
      std::max<size_t>(std::size(makers) * 2, MaxComparisons / (buffers.size() * buffers.size()));
  ArenaLayout best;
  best.height = UINT64_MAX;
  for (const size_t promotions : {size_t{0}, MaxPromotions})
    for (size_t i = 0; i < std::size(makers); ++i) {
      if (orders.size() == i)
        orders.push_back(makers[i]());
      for (const Gap gap : {Gap::Lowest, Gap::Tightest}) {
        Order order = orders[i];
        for (size_t round = 0; round <= promotions && attempts > 0; ++round, --attempts) {
          ArenaLayout layout = layouter.place(order, gap);
          const auto top = std::find_if(order.begin(), order.end(), [&](size_t index) {
            return layout.offsets[index] + buffers[index].bytes == layout.height;
          });
          std::rotate(order.begin(), top, top + 1);
          if (layout.height < best.height)
            best = std::move(layout);
          if (best.height <= bound)
            return best;
        }
      }
    }
  return best;
}

} // namespace

ArenaLayout layoutArena(std::span<const LiveBuffer> buffers, uint64_t align, uint64_t bound,
                        size_t work) {
  if (buffers.empty())
    return {};
  ArenaLayout best = layOutGreedily(buffers, align, bound);
  uint64_t low = bound;
  for (uint64_t height = bound; low < best.height && work > 0;
       height = low + (best.height - low) / 2) {
    std::vector<uint64_t> offsets;
    if (fitOffsets(buffers, align, height, work, offsets) == FitResult::Found)
      best = {std::move(offsets), height};
    else
      low = height + 1;
  }
  // The search may have tried a height that no layout has exactly.
  best.height = 0;
  for (size_t i = 0; i < buffers.size(); ++i)
    best.height = std::max(best.height, best.offsets[i] + buffers[i].bytes);
  return best;
}

ArenaLayout layoutArenaWithin(std::span<const LiveBuffer> buffers, uint64_t align, uint64_t bound,
                              uint64_t budget) {
  if (buffers.empty())
    return {};
  ArenaLayout first = layOutGreedily(buffers, align, budget);
  return first.height <= budget ? std::move(first) : layoutArena(buffers, align, bound);
}

} // namespace tigris
