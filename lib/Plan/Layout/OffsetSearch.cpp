// Branch and bound: one object per height, one run per preference.
#include "tigris/Plan/Layout/OffsetSearch.h"

#include "tigris/Plan/Layout/Overlaps.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace tigris {

namespace {

/// A buffer. Its lifetime is a range of sections. A section begins where a lifetime begins and ends
/// where the next one begins.
struct Item {
  uint64_t size = 0;  // rounded up
  uint64_t bytes = 0; // exact
  uint64_t lifetime = 0;
  size_t firstSection = 0;
  size_t lastSection = 0;
};

enum class Outcome : uint8_t { Placed, Fails, OutOfWork };

/// The order of the keys by which items are ranked. Key 0 is the fullest section of an item's
/// lifetime, key 1 its area, key 2 the length of its lifetime.
using Preference = std::array<size_t, 3>;

class OffsetSearch {
public:
  OffsetSearch(std::span<const LiveBuffer> buffers, Overlaps overlaps, uint64_t align,
               uint64_t height)
      : height_(height), limit_(alignUp(height, align)), overlaps_(std::move(overlaps)) {
    std::vector<uint32_t> starts;
    for (const LiveBuffer& buffer : buffers)
      starts.push_back(buffer.birth);
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    sections_.resize(starts.size());
    for (const LiveBuffer& buffer : buffers) {
      const auto sectionAt = [&](uint32_t step) {
        return static_cast<size_t>(std::upper_bound(starts.begin(), starts.end(), step) -
                                   starts.begin() - 1);
      };
      items_.push_back({alignUp(buffer.bytes, align), buffer.bytes,
                        uint64_t{buffer.death} - buffer.birth + 1, sectionAt(buffer.birth),
                        sectionAt(buffer.death)});
      for (size_t s = items_.back().firstSection; s <= items_.back().lastSection; ++s)
        sections_[s].push_back(items_.size() - 1);
    }
  }

  Outcome run(const Preference& preference, size_t work) {
    preference_ = preference;
    rank_.resize(items_.size());
    low_.assign(items_.size(), 0);
    reach_.assign(items_.size(), 0);
    placed_.assign(items_.size(), false);
    offsets_.assign(items_.size(), 0);
    work_ = work;
    std::vector<size_t> all(items_.size());
    std::iota(all.begin(), all.end(), 0);
    return place(all, 0, 0);
  }

  size_t workLeft() const { return work_; }
  const std::vector<uint64_t>& offsets() const { return offsets_; }

private:
  /// Places `items`, the unplaced items of consecutive sections, at offsets above `floor`, or at
  /// `floor` if their rank is at least `rank`.
  Outcome place(const std::vector<size_t>& items, uint64_t floor, size_t rank) {
    if (items.empty())
      return Outcome::Placed;
    std::vector<std::vector<size_t>> parts = split(items);
    if (parts.size() == 1 && items.size() != items_.size())
      return placeNext(items, floor, rank);
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
    const std::vector<size_t> ranks = rank_;
    const std::vector<uint64_t> lows = low_;
    for (const std::vector<size_t>& part : parts) {
      order(part);
      if (const Outcome outcome = placeNext(part, floor, 0); outcome != Outcome::Placed) {
        // Undo the parts that have been placed.
        for (const size_t item : items)
          placed_[item] = false;
        rank_ = ranks;
        low_ = lows;
        return outcome;
      }
    }
    return Outcome::Placed;
  }

  /// Ranks the items of a new part, in descending order of the keys of the preference. The fullness
  /// of a section counts only these items.
  void order(const std::vector<size_t>& items) {
    std::vector<std::array<uint64_t, 3>> values(items_.size());
    std::vector<size_t> sorted = items;
    std::vector<uint64_t> sums(sections_.size());
    for (const size_t item : items)
      for (size_t s = items_[item].firstSection; s <= items_[item].lastSection; ++s)
        sums[s] += items_[item].size;
    for (const size_t item : items) {
      uint64_t total = 0;
      for (size_t s = items_[item].firstSection; s <= items_[item].lastSection; ++s)
        total = std::max(total, sums[s]);
      const std::array<uint64_t, 3> all = {total, items_[item].size * items_[item].lifetime,
                                           items_[item].lifetime};
      values[item] = {all[preference_[0]], all[preference_[1]], all[preference_[2]]};
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](size_t a, size_t b) { return values[a] > values[b]; });
    for (size_t k = 0; k < sorted.size(); ++k)
      rank_[sorted[k]] = k;
  }

  /// Splits the items into groups whose lifetimes are connected, each in the order of `items`.
  std::vector<std::vector<size_t>> split(const std::vector<size_t>& items) const {
    // Per section: one past the last section of the items that begin there.
    std::vector<size_t> reach(sections_.size(), 0);
    for (const size_t item : items)
      reach[items_[item].firstSection] =
          std::max(reach[items_[item].firstSection], items_[item].lastSection + 1);
    std::vector<size_t> partOf(sections_.size(), 0);
    size_t parts = 0;
    size_t end = 0;
    for (size_t s = 0; s < reach.size(); ++s) {
      if (reach[s] != 0 && s >= end)
        ++parts;
      end = std::max(end, reach[s]);
      partOf[s] = parts;
    }
    std::vector<std::vector<size_t>> result(parts);
    for (const size_t item : items)
      result[partOf[items_[item].firstSection] - 1].push_back(item);
    return result;
  }

  /// Computes in `reach_` the lowest offset that each item can still get. An item that would fit
  /// below the floor must be placed on top of an unplaced item; otherwise it would have been placed
  /// earlier. Returns false if an item has no place.
  bool findReach(const std::vector<size_t>& items, uint64_t floor, size_t rank) {
    for (const size_t item : items) {
      uint64_t reach = low_[item];
      if (!isNext(item, floor, rank)) {
        reach = UINT64_MAX;
        for (const size_t other : overlaps_.of(item))
          if (!placed_[other])
            reach = std::min(reach, std::max(low_[other], floor) + items_[other].size);
        if (reach == UINT64_MAX)
          return false;
      }
      if (reach + items_[item].bytes > height_)
        return false;
      reach_[item] = reach;
    }
    return true;
  }

  bool isNext(size_t item, uint64_t floor, size_t rank) const {
    return low_[item] > floor || (low_[item] == floor && rank_[item] >= rank);
  }

  /// Whether every section of the items has space for its unplaced items.
  bool mayFit(const std::vector<size_t>& items) {
    size_t first = SIZE_MAX;
    size_t last = 0;
    for (const size_t item : items) {
      first = std::min(first, items_[item].firstSection);
      last = std::max(last, items_[item].lastSection);
    }
    for (size_t s = first; s <= last; ++s) {
      uint64_t sum = 0;
      uint64_t lowest = UINT64_MAX;
      for (const size_t item : sections_[s])
        if (!placed_[item]) {
          sum += items_[item].size;
          lowest = std::min(lowest, reach_[item]);
        }
      if (sum != 0 && lowest + sum > limit_)
        return false;
    }
    return true;
  }

  Outcome placeNext(const std::vector<size_t>& items, uint64_t floor, size_t rank) {
    if (work_ < items.size())
      return Outcome::OutOfWork;
    work_ -= items.size();
    if (!findReach(items, floor, rank) || !mayFit(items))
      return Outcome::Fails;
    // An offset from `lowestEnd` on would leave a hole that another item fits. Placing that item
    // first is at least as good.
    uint64_t lowestEnd = UINT64_MAX;
    for (const size_t item : items)
      lowestEnd = std::min(lowestEnd, low_[item] + items_[item].size);
    std::vector<size_t> candidates;
    for (const size_t item : items)
      if (isNext(item, floor, rank) && low_[item] < lowestEnd)
        candidates.push_back(item);
    std::stable_sort(candidates.begin(), candidates.end(), [&](size_t a, size_t b) {
      return std::tie(low_[a], rank_[a]) < std::tie(low_[b], rank_[b]);
    });
    std::vector<std::pair<size_t, uint64_t>> raised;
    for (const size_t item : candidates) {
      const uint64_t offset = low_[item];
      const uint64_t end = offset + items_[item].size;
      placed_[item] = true;
      offsets_[item] = offset;
      raised.clear();
      bool isCovered = false;
      for (const size_t other : overlaps_.of(item))
        if (!placed_[other]) {
          isCovered = true;
          if (low_[other] < end) {
            raised.emplace_back(other, low_[other]);
            low_[other] = end;
          }
        }
      std::vector<size_t> rest;
      rest.reserve(items.size() - 1);
      for (const size_t other : items)
        if (other != item)
          rest.push_back(other);
      const Outcome outcome = place(rest, offset, rank_[item] + 1);
      if (outcome == Outcome::Placed)
        return outcome;
      for (const auto& [other, low] : raised)
        low_[other] = low;
      placed_[item] = false;
      // If no unplaced item overlaps this one, it restricts nothing at the floor, so the rest fails
      // without it as well.
      if (outcome == Outcome::OutOfWork || (!isCovered && offset == floor))
        return outcome;
    }
    return Outcome::Fails;
  }

  uint64_t height_;
  uint64_t limit_;
  std::vector<Item> items_;
  /// Per section: the items alive in it.
  std::vector<std::vector<size_t>> sections_;
  Overlaps overlaps_;

  Preference preference_ = {};
  std::vector<size_t> rank_;
  /// Per item: the end of the highest placed item that overlaps it, and the result of findReach().
  std::vector<uint64_t> low_, reach_;
  std::vector<bool> placed_;
  std::vector<uint64_t> offsets_;
  size_t work_ = 0;
};

} // namespace

FitResult fitOffsets(std::span<const LiveBuffer> buffers, uint64_t align, uint64_t height,
                     size_t& work, std::vector<uint64_t>& offsets) {
  // Placing a buffer visits every overlapping buffer that is not placed yet, so a layout takes more
  // work than there are pairs.
  std::optional<Overlaps> overlaps = Overlaps::find(buffers, work);
  if (!overlaps) {
    work = 0;
    return FitResult::GaveUp;
  }
  OffsetSearch search(buffers, std::move(*overlaps), align, height);
  constexpr std::array<Preference, 3> Preferences = {{{2, 1, 0}, {0, 1, 2}, {0, 2, 1}}};
  const size_t nodes = buffers.size() * buffers.size();
  for (size_t limit = 2 * nodes;; limit *= 2)
    for (const Preference& preference : Preferences) {
      const size_t given = std::min(limit, work);
      const Outcome outcome = search.run(preference, given);
      work -= given - search.workLeft();
      if (outcome == Outcome::Fails)
        return FitResult::Impossible;
      if (outcome == Outcome::Placed) {
        offsets = search.offsets();
        return FitResult::Found;
      }
      if (given < limit)
        return FitResult::GaveUp;
    }
}

} // namespace tigris
