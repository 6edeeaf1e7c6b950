// Finds the ends of stages by doubling and bisection, because peaks never decrease with more ops.
#include "tigris/Plan/Specification/TemporalPartition.h"

#include "tigris/Plan/Search/LongestWhole.h"
#include "tigris/Plan/Specification/SpecifiedTimeline.h"

#include <algorithm>

namespace tigris {

namespace {

/// The end of the longest stage from `begin` whose specified peak is within the budget; at least
/// one op.
size_t endOfPeak(const OrderView& view, size_t begin, uint64_t budget) {
  const size_t last = view.order().size();
  size_t end = begin + 1;
  size_t beyond = end + 1;
  for (size_t step = 1; beyond <= last && specifiedPeak(view, begin, beyond) <= budget; step *= 2) {
    end = beyond;
    beyond = end + step;
  }
  beyond = std::min(beyond, last + 1);
  while (beyond - end > 1) {
    const size_t middle = end + (beyond - end) / 2;
    (specifiedPeak(view, begin, middle) <= budget ? end : beyond) = middle;
  }
  return end;
}

} // namespace

std::vector<TemporalStage> partitionInTime(const StageDrafter& drafter, uint64_t budget) {
  std::vector<TemporalStage> stages;
  for (size_t begin = 0; begin < drafter.order().size();) {
    const size_t end = endOfPeak(drafter.view(), begin, budget);
    while (begin < end) {
      std::optional<StageDraft> whole = longestWhole(drafter, begin, end, budget);
      const size_t next = begin + (whole ? whole->ops.size() : 1);
      stages.push_back({begin, next, std::move(whole)});
      begin = next;
    }
  }
  return stages;
}

} // namespace tigris
