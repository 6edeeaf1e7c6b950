// Compresses constants of a plan into LZ4 blocks that the runtime unpacks to the start of the fast
// arena.
//
// The blocks of a stage are unpacked to the same place one after the other, so fast memory is
// needed for the largest block only:
//
//   stage      what fits               blocks
//   whole      all its constants       one
//   whole      not all                 one per run of ops whose constants fit together
//   tiled      all or some             one, because its ops run again for every tile
//
// A constant stays unpacked and is read in place if LZ4 saves less than 1/16 of it, if several
// blocks would need a copy, or if it fits no block.
#pragma once

#include "tigris/Emit/PlanImage.h"

namespace tigris {

struct PackingSpace {
  /// Fast memory that the plan does not use. The part used for blocks is placed before everything
  /// else in the arena.
  uint64_t bytes = 0;
  /// Alignment of addresses, a power of two.
  uint64_t align = 1;
  /// Whether model inputs and outputs have fast addresses, too.
  bool portsInArena = false;
};

struct PackedWeights {
  /// tigris_summary.fast_reserved: the end of the largest block; 0 without blocks.
  uint32_t reserved = 0;
  /// The amount added to every fast address: `reserved` rounded up to `align`.
  uint32_t shift = 0;

  /// The highest fast byte in use, given that it was `before` without blocks.
  uint64_t peak(uint64_t before) const { return before == 0 ? reserved : before + shift; }
};

/// Modifies a complete image; nothing may be added to it afterward. Equal images give equal bytes
/// with the same liblz4.
PackedWeights packWeights(PlanImage& image, const PackingSpace& space);

} // namespace tigris
