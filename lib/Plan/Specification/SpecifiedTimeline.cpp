// Sums up births and deaths. Moment 0 is before the first op; moment k is after the events of op k,
// counted from 1.
#include "tigris/Plan/Specification/SpecifiedTimeline.h"

#include <algorithm>
#include <map>

namespace tigris {

namespace {

/// Bytes that are live in moments [birth, death).
struct LiveMoments {
  uint64_t bytes = 0;
  size_t birth = 0;
  size_t death = 0;
};

class SpecifiedSweep {
public:
  SpecifiedSweep(const OrderView& view, size_t begin, size_t end)
      : view_(view), begin_(begin), end_(end) {}

  uint64_t peak() {
    for (size_t step = begin_; step < end_; ++step) {
      for (const TensorId input : view_.op(step).inputs)
        if (view_.livesInArena(input))
          touch(input, isFromOutside(input) ? 0 : momentOf(step), momentOf(step));
      for (const TensorId output : view_.op(step).outputs)
        if (view_.livesInArena(output))
          touch(output, momentOf(step), deathOf(output, step));
    }
    std::vector<uint64_t> change(end_ - begin_ + 2);
    for (const auto& [root, live] : buffers_) {
      change[live.birth] += live.bytes;
      change[live.death] -= live.bytes; // modulo 2^64
    }
    uint64_t sum = 0;
    uint64_t most = 0;
    for (const uint64_t difference : change)
      most = std::max(most, sum += difference);
    return most;
  }

private:
  size_t momentOf(size_t step) const { return step - begin_ + 1; }
  bool isFromOutside(TensorId id) const {
    const size_t produced = view_.producedAt(id);
    return produced == OrderView::Never || produced < begin_;
  }

  /// Readers end the life of a result; a result without one lives for a step.
  size_t deathOf(TensorId result, size_t step) const {
    if (!view_.isRead(result))
      return momentOf(step) + 1;
    return view_.lastReadAt(result) >= end_ ? momentOf(end_) : momentOf(step);
  }

  void touch(TensorId id, size_t birth, size_t death) {
    const auto [entry, isNew] = buffers_.try_emplace(view_.aliases().root(id));
    LiveMoments& live = entry->second;
    if (isNew)
      live = {view_.bytes(id), birth, death};
    live.birth = std::min(live.birth, birth);
    live.death = std::max(live.death, death);
  }

  const OrderView& view_;
  size_t begin_;
  size_t end_;
  std::map<TensorId, LiveMoments> buffers_;
};

} // namespace

uint64_t specifiedPeak(const OrderView& view, size_t begin, size_t end) {
  return SpecifiedSweep(view, begin, end).peak();
}

} // namespace tigris
