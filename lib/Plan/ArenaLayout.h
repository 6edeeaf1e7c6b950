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

/// The lowest of several deterministic greedy layouts.
///
/// Buffers are placed one after another, in several orders (by size, by size times lifetime, by
/// lifetime, by birth, by pressure), each at the lowest fitting offset or in the tightest fitting gap. After each
/// attempt the buffer that sets the height is moved to the front and the attempt repeated. Stops as
/// soon as the height reaches `bound` (MemoryTimeline::bound: nothing can be lower). Effort is limited to about
/// 40 million comparisons, so the result does not depend on the machine's speed.
ArenaLayout layoutArena(std::span<const LiveBuffer> buffers, uint64_t align, uint64_t bound);

} // namespace tigris
