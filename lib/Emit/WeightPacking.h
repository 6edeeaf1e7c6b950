// Moves the constants of a plan into LZ4 blocks that the runtime unpacks to the start of the fast arena.
//
// The blocks of a stage follow each other in the same place, so fast memory is needed for the largest one only:
//
//   stage      what fits               blocks
//   whole      all its constants       one
//   whole      not all                 one for each run of ops whose constants fit together
//   tiled      all or some             one: its ops run again for every tile
//
// Constants stay as they are, and are read where the plan lies, when LZ4 does not make them smaller by 1/16,
// when several blocks would need a copy each, and when they fit no block.
#pragma once

#include "tigris/Emit/PlanImage.h"

namespace tigris {

struct PackingRoom {
  /// Fast memory that the plan leaves free; what is used of it comes before everything else in the arena.
  uint64_t bytes = 0;
  /// Of addresses, a power of two.
  uint64_t align = 1;
  /// Model inputs and outputs have fast addresses, too.
  bool portsInArena = false;
};

struct PackedWeights {
  /// tigris_summary.fast_reserved: end of the largest block; 0 when there is none.
  uint32_t reserved = 0;
  /// By how much every fast address grew: `reserved` rounded up to `align`.
  uint32_t shift = 0;

  /// The highest fast byte in use when it was `peak` without blocks.
  uint64_t peak(uint64_t before) const { return before == 0 ? reserved : before + shift; }
};

/// Changes a complete image; nothing may be added to it afterward. Equal images give equal bytes (with the
/// same liblz4).
PackedWeights packWeights(PlanImage& image, const PackingRoom& room);

} // namespace tigris
