// Offsets for buffers with lifetimes: two that are alive at the same step never share a byte.
#pragma once

#include "tigris/Analysis/Lifetime.h"

namespace tigris {

struct ArenaLayout {
  /// One per buffer, each a multiple of the alignment.
  std::vector<uint64_t> offsets;
  /// Highest end of any buffer: offset + bytes, not rounded up.
  uint64_t height = 0;
};

/// Work limits of fitOffsets (Plan/Layout/OffsetSearch.h) for a layout that is one of many
/// candidates, and for one that matters by itself.
constexpr size_t QuickFit = 20'000;
constexpr size_t ThoroughFit = 4'000'000;

/// The lowest of several deterministic greedy layouts, or a lower one from an exact search.
///
/// Buffers are placed one after another, in several orders (by size, by size times lifetime, by
/// lifetime, by birth, by pressure), each at the lowest fitting offset or in the tightest fitting
/// gap. After each attempt the buffer that sets the height is moved to the front and the attempt is
/// repeated. The search stops when the height reaches `bound`, a lower bound for every layout
/// (MemoryTimeline::bound). Effort is limited to about 40 million comparisons, so that the result
/// does not depend on the machine's speed. A layout above the bound is improved with fitOffsets: at
/// the bound, then by bisection, with `work` in total.
ArenaLayout layoutArena(std::span<const LiveBuffer> buffers, uint64_t align, uint64_t bound,
                        size_t work = QuickFit);
/// A layout of at most `budget` bytes if layoutArena would find one: the first one that is found,
/// or the lowest. Otherwise the lowest, which is higher. `bound`: at most `budget`.
ArenaLayout layoutArenaWithin(std::span<const LiveBuffer> buffers, uint64_t align, uint64_t bound,
                              uint64_t budget);

} // namespace tigris
