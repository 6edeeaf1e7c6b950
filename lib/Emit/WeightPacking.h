// Puts constants of a plan into blocks that the runtime brings to the start of the fast arena.
//
// The blocks of a stage are brought to the same place one after the other, so fast memory is
// needed for the largest block only:
//
//   stage      what fits               blocks
//   whole      all its constants       one
//   whole      not all                 one per run of ops whose constants fit together
//   tiled      all or some             one, because its ops run again for every tile
//
// Compressing (WeightMemory::Map): blocks are packed with LZ4. A constant stays unpacked and is
// read in place if LZ4 saves less than 1/16 of it, if several blocks would need a copy, or if it
// fits no block.
//
// Copying (WeightMemory::Copy): every constant is in the block of each op that reads it. A block is
// packed if that saves 1/16 and there is space to unpack it in place (TIGRIS_LZ4_MARGIN); otherwise
// it is stored as it is. All constants of an op must fit together, in a tiled stage those of all
// its ops.
#pragma once

#include "tigris/Emit/PlanImage.h"
#include "tigris/IR/Plan.h"

namespace tigris {

struct PackingSpace {
  /// Fast memory that the plan does not use. The part used for blocks is placed before everything
  /// else in the arena.
  uint64_t bytes = 0;
  /// Alignment of addresses, a power of two.
  uint64_t align = 1;
  /// Whether model inputs and outputs have fast addresses, too.
  bool portsInArena = false;
  WeightMemory weights = WeightMemory::Map;
  /// Read when copying.
  Compression compress = Compression::Lz4;
};

/// An op, by its index in the file, whose stage or which alone has more bytes of constants than
/// there is space.
struct WeightMisfit {
  uint32_t op = 0;
  uint64_t bytes = 0;
};

struct PackedWeights {
  /// tigris_summary.fast_reserved: the end of the largest block; 0 without blocks.
  uint32_t reserved = 0;
  /// The amount added to every fast address: `reserved` rounded up to `align`.
  uint32_t shift = 0;
  /// Copying only; the image is then unchanged.
  std::optional<WeightMisfit> misfit;

  /// The highest fast byte in use, given that it was `before` without blocks.
  uint64_t peak(uint64_t before) const { return before == 0 ? reserved : before + shift; }
};

/// Modifies a complete image; nothing may be added to it afterward. Equal images give equal bytes
/// with the same liblz4.
PackedWeights packWeights(PlanImage& image, const PackingSpace& space);

/// The bytes of the constants of each op of a complete image when they are copied together.
std::vector<uint64_t> copiedBytes(PlanImage& image, uint64_t align);

/// Bytes of fast memory with which a block of `bytes` bytes can be unpacked in place.
inline uint64_t withUnpackingMargin(uint64_t bytes, uint64_t align) {
  return bytes == 0 ? 0 : bytes + TIGRIS_LZ4_MARGIN(bytes) + align - 1;
}

} // namespace tigris
