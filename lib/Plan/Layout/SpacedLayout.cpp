// Greedy placement at the lowest offset, in several orders, improved by promoting the buffer on top
// and by small changes.
#include "tigris/Plan/Layout/SpacedLayout.h"

#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <tuple>

namespace tigris {

namespace {

constexpr size_t MaxFullPromotions = 20;
constexpr size_t MaxQuickPromotions = 3;
constexpr size_t MaxIdleChanges = 1000;
/// The limit if a layout of a given height is enough.
constexpr size_t MaxIdleChangesForEnough = 300;
/// Random changes rarely save more than this part of the height.
constexpr uint64_t SmallChange = 16;

using Order = std::vector<size_t>;

class SpacedLayouter {
public:
  SpacedLayouter(std::span<const LiveBuffer> buffers, const Clearances& clearances, uint64_t align)
      : buffers_(buffers), clearances_(clearances), align_(align), farthest_(buffers.size()) {
    rivals_.reserve(buffers.size() * buffers.size());
    for (size_t i = 0; i < buffers.size(); ++i)
      for (size_t k = 0; k < buffers.size(); ++k) {
        rivals_.push_back({clearances.of(i, k), clearances.of(k, i)});
        farthest_[i] = std::max(farthest_[i], clearances.of(i, k));
      }
  }

  /// Stops as soon as the layout is higher than `most`; the layout is then incomplete.
  const ArenaLayout& place(const Order& order, uint64_t most = UINT64_MAX) {
    begin();
    for (size_t k = 0; k < order.size() && layout_.height <= most; ++k)
      put(order[k], lowest(order[k]));
    return layout_;
  }

  /// The same; the first `kept` buffers of the order have these offsets, at which place() put them.
  const ArenaLayout& placeAfter(const Order& order, size_t kept,
                                const std::vector<uint64_t>& offsets, uint64_t most) {
    begin();
    for (size_t k = 0; k < kept; ++k)
      put(order[k], offsets[order[k]]);
    for (size_t k = kept; k < order.size() && layout_.height <= most; ++k)
      put(order[k], lowest(order[k]));
    return layout_;
  }

  /// Places the buffer with the lowest possible offset next, repeatedly.
  ArenaLayout placeLowest() {
    begin();
    struct Place {
      size_t index;
      uint64_t offset;
    };
    std::vector<Place> left;
    for (size_t i = 0; i < buffers_.size(); ++i)
      left.push_back({i, 0});
    const auto key = [&](const Place& place) {
      const LiveBuffer& buffer = buffers_[place.index];
      return std::tuple(place.offset, UINT32_MAX - buffer.birth, UINT64_MAX - buffer.bytes);
    };
    while (!left.empty()) {
      const auto next =
          std::min_element(left.begin(), left.end(),
                           [&](const Place& a, const Place& b) { return key(a) < key(b); });
      const Place chosen = *next;
      left.erase(next);
      put(chosen.index, chosen.offset);
      for (Place& place : left)
        if (isTooClose(place.index, place.offset, chosen.index))
          place.offset = lowest(place.index);
    }
    return layout_;
  }

private:
  void begin() {
    layout_ = {};
    layout_.offsets.resize(buffers_.size());
    placed_.clear();
  }

  void put(size_t index, uint64_t offset) {
    layout_.offsets[index] = offset;
    layout_.height = std::max(layout_.height, offset + buffers_[index].bytes);
    const auto above = std::upper_bound(
        placed_.begin(), placed_.end(), offset,
        [](uint64_t value, const Placed& placed) { return value < placed.offset; });
    placed_.insert(above, {offset, index});
  }

  /// Whether `index` at `offset` violates a clearance with `other`, which has been placed.
  bool isTooClose(size_t index, uint64_t offset, size_t other) const {
    const uint64_t at = layout_.offsets[other];
    return offset < at + clearances_.of(other, index) && at < offset + clearances_.of(index, other);
  }

  uint64_t lowest(size_t index) {
    const Rival* const rivals = &rivals_[index * buffers_.size()];
    gaps_.clear();
    uint64_t offset = 0;
    size_t next = 0; // the first placed buffer that has not been seen
    for (bool isFree = false; !isFree;) {
      // All gaps of buffers farther up are above the offset.
      for (; next < placed_.size() && placed_[next].offset < offset + farthest_[index]; ++next) {
        const uint64_t at = placed_[next].offset;
        const Rival& rival = rivals[placed_[next].index];
        const Gap gap = {at < rival.under ? 0 : at - rival.under + 1, at + rival.over};
        if (rival.under == 0 && rival.over == 0)
          continue;
        if (gap.begin > offset)
          gaps_.push_back(gap);
        else if (gap.end > offset)
          offset = alignUp(gap.end, align_);
      }
      isFree = true;
      size_t left = 0; // gaps above the offset
      for (const Gap& gap : gaps_) {
        if (gap.end <= offset)
          continue;
        if (gap.begin <= offset) {
          offset = alignUp(gap.end, align_);
          isFree = false;
        } else {
          gaps_[left++] = gap;
        }
      }
      gaps_.resize(left);
    }
    return offset;
  }

  /// Offsets [begin, end), which are too close to a placed buffer.
  struct Gap {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  /// The clearances of a buffer to another one: above that one, and below it.
  struct Rival {
    uint64_t under;
    uint64_t over;
  };
  struct Placed {
    uint64_t offset;
    size_t index;
  };

  std::span<const LiveBuffer> buffers_;
  const Clearances& clearances_;
  uint64_t align_;
  ArenaLayout layout_;
  /// Per buffer, its clearances to each one, and the largest of those below another one.
  std::vector<Rival> rivals_;
  std::vector<uint64_t> farthest_;
  /// The buffers that have been placed, by ascending offset.
  std::vector<Placed> placed_;
  std::vector<Gap> gaps_;
};

/// The lowest layout so far.
class LowestLayout {
public:
  /// `heights`, if not null, receives the height of each one.
  explicit LowestLayout(std::vector<uint64_t>* heights) : heights_(heights) {
    layout_.height = UINT64_MAX;
  }

  uint64_t height() const { return layout_.height; }
  /// Whether the layout is lower.
  bool offer(const ArenaLayout& layout) {
    if (layout.height >= layout_.height)
      return false;
    layout_ = layout;
    if (heights_ != nullptr)
      heights_->push_back(layout.height);
    return true;
  }
  ArenaLayout take() { return std::move(layout_); }

private:
  ArenaLayout layout_;
  std::vector<uint64_t>* heights_;
};

/// Makes random small changes to `order`, whose layout has the height `height`. A change is kept
/// unless the layout becomes higher. Stops after `maxIdle` changes that have not improved the best
/// layout.
void improve(SpacedLayouter& layouter, Order order, uint64_t height, uint64_t stop, size_t maxIdle,
             LowestLayout& best) {
  std::minstd_rand random; // the same numbers on every host
  const auto any = [&] {
    return order.begin() + static_cast<std::ptrdiff_t>(random() % order.size());
  };
  Order before;
  std::vector<uint64_t> offsets = layouter.place(order).offsets;
  for (size_t idle = 0; idle < maxIdle && best.height() > stop; ++idle) {
    before = order;
    const auto a = any();
    const auto b = any();
    if (random() % 2 == 0)
      std::iter_swap(a, b);
    else
      std::rotate(std::min(a, b), std::min(a, b) + 1, std::max(a, b) + 1);
    const auto kept = static_cast<size_t>(std::min(a, b) - order.begin());
    const ArenaLayout& layout = layouter.placeAfter(order, kept, offsets, height);
    if (layout.height > height) {
      order.swap(before);
    } else {
      height = layout.height;
      offsets = layout.offsets;
    }
    if (best.offer(layout))
      idle = 0;
  }
}

/// Whether a layout is so high that random changes are not tried.
bool isHopeless(uint64_t height, uint64_t enough) {
  return enough > 0 && height > enough + enough / SmallChange;
}

} // namespace

ArenaLayout layOutSpaced(std::span<const LiveBuffer> buffers, const Clearances& clearances,
                         uint64_t align, uint64_t bound, uint64_t enough, bool isQuick,
                         std::vector<uint64_t>* heights) {
  SpacedLayouter layouter(buffers, clearances, align);
  LowestLayout best(heights);
  best.offer(layouter.placeLowest());
  const auto descending = [&](const std::function<uint64_t(const LiveBuffer&)>& key) {
    Order order(buffers.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return key(buffers[a]) > key(buffers[b]); });
    return order;
  };
  std::vector<Order> orders = {
      descending([](const LiveBuffer& b) { return uint64_t{b.birth}; }),
      descending([](const LiveBuffer& b) { return b.bytes; }),
      descending([](const LiveBuffer& b) { return b.bytes * (b.death - b.birth + 1); }),
  };
  const uint64_t stop = std::max(bound, enough);
  const size_t promotions = isQuick ? MaxQuickPromotions : MaxFullPromotions;
  Order lowest;
  uint64_t height = UINT64_MAX;
  for (Order& order : orders)
    for (size_t round = 0; round <= promotions && best.height() > stop; ++round) {
      const ArenaLayout& layout = layouter.place(order);
      if (layout.height < height) {
        height = layout.height;
        lowest = order;
      }
      best.offer(layout);
      const auto top = std::find_if(order.begin(), order.end(), [&](size_t index) {
        return layout.offsets[index] + buffers[index].bytes == layout.height;
      });
      std::rotate(order.begin(), top, top + 1);
    }
  if (best.height() > stop && buffers.size() > 2 && !isHopeless(best.height(), enough) && !isQuick)
    improve(layouter, std::move(lowest), height, stop,
            enough == 0 ? MaxIdleChanges : MaxIdleChangesForEnough, best);
  return best.take();
}

uint64_t mostRefused(uint64_t height, uint64_t enough, bool isQuick) {
  // Every layout has been tried, so only `height` itself would have been enough.
  if (isQuick || !isHopeless(height, enough))
    return height - 1;
  uint64_t most = std::max(enough, (height - 1) / (SmallChange + 1) * SmallChange);
  while (isHopeless(height, most + 1))
    ++most;
  return most;
}

} // namespace tigris
