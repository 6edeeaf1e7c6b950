// The live bytes find the end; layouts, which take longer, are made from there downward.
#include "tigris/Plan/Search/LongestWhole.h"

#include <algorithm>

namespace tigris {

namespace {

/// Maximum number of ops of a stage for which every end is tried.
constexpr size_t OneByOne = 1024;

bool liveBytesFit(const OrderView& view, size_t begin, size_t end, uint64_t budget) {
  return wholeBound(view, draftWhole(view, begin, end, {})) <= budget;
}

/// The end of the longest stage from `begin` whose live bytes fit. A draft takes time in proportion
/// to its ops, so the end of a long stage is found by doubling and bisection.
size_t endOfLiveBytes(const OrderView& view, size_t begin, size_t last, uint64_t budget) {
  size_t end = begin;
  while (end < last && end - begin < OneByOne && liveBytesFit(view, begin, end + 1, budget))
    ++end;
  if (end - begin < OneByOne)
    return end;
  size_t beyond = end + 1;
  for (size_t step = 1; beyond <= last && liveBytesFit(view, begin, beyond, budget); step *= 2) {
    end = beyond;
    beyond = end + step;
  }
  beyond = std::min(beyond, last + 1);
  while (beyond - end > 1) {
    const size_t middle = end + (beyond - end) / 2;
    (liveBytesFit(view, begin, middle, budget) ? end : beyond) = middle;
  }
  return end;
}

} // namespace

std::optional<StageDraft> fittingWhole(const StageDrafter& drafter, size_t begin, size_t end,
                                       uint64_t budget) {
  StageDraft stage = draftWhole(drafter.view(), begin, end, {});
  if (wholeBound(drafter.view(), stage) > budget)
    return std::nullopt;
  layOutWhole(drafter.view(), stage);
  return stage.height <= budget ? std::optional(std::move(stage)) : std::nullopt;
}

std::optional<StageDraft> longestWhole(const StageDrafter& drafter, size_t begin, size_t last,
                                       uint64_t budget) {
  size_t end = endOfLiveBytes(drafter.view(), begin, last, budget);
  // Gaps between buffers can push a layout above a budget that the live bytes alone would fit.
  for (; end > begin; --end)
    if (std::optional<StageDraft> stage = fittingWhole(drafter, begin, end, budget))
      return stage;
  return std::nullopt;
}

} // namespace tigris
