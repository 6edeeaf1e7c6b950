// The specification's spatial partitioning: strips of rows for a stage, or for a chain of stages.
#pragma once

#include "tigris/Plan/Stage/StageDrafter.h"

namespace tigris {

/// The figures of the tile height formula for a stage of one op that is tileable (isTileable).
struct TileFigures {
  /// Bytes of the op's activations at their full height.
  uint64_t peak = 0;
  int64_t height = 0;
  int64_t receptiveField = 1;
  int64_t halo = 0;
  /// By the formula, but at least 1 and at most `height`.
  int64_t tileHeight = 1;
};
TileFigures tileFigures(const OrderView& view, size_t step, uint64_t budget);

/// The op in strips of the height of tileFigures. The height is reduced until operands, result and
/// the executor's records fit `budget` bytes. nullopt if a single row does not fit or the op cannot
/// run in strips.
std::optional<StageDraft> tileInStrips(const StageDrafter& drafter, size_t step, uint64_t budget);

/// Bytes of all activations of ops [begin, end) for a chain with tiles of `height` rows of its
/// result, each rounded up to the alignment (tileHeights).
uint64_t chainBytes(const OrderView& view, size_t begin, size_t end, int64_t height);

/// Ops [begin, end) as one chain with such tiles; nullopt if they do not fit `budget` bytes.
std::optional<StageDraft> chainOfHeight(const StageDrafter& drafter, size_t begin, size_t end,
                                        int64_t height, uint64_t budget);

/// Ops [begin, end) as one chain whose activations fit `budget` bytes together (chainBytes), with
/// the highest tiles that binary search finds. nullopt if tiles of one row do not fit.
std::optional<StageDraft> chainInStrips(const StageDrafter& drafter, size_t begin, size_t end,
                                        uint64_t budget);

/// Whether a chain may pass from ops [begin, middle) to ops [middle, end): the first stage has
/// exactly one output, a map with several rows that the second stage alone reads, and the second
/// stage has no other input.
bool isChainLink(const OrderView& view, size_t begin, size_t middle, size_t end);

} // namespace tigris
