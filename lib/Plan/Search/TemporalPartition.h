// Cuts an order into stages that each fit the fast arena; what crosses a cut spends the time in slow memory.
#pragma once

#include "tigris/Plan/Stage/StageDraft.h"
#include "tigris/Support/Expected.h"

namespace tigris {

/// What limits a partition.
struct StageNeed {
  OpId op;
  uint64_t bytes = 0;
};

/// The largest arena any op needs alone, cut as finely as it can be: below it no partition of the order works,
/// at it one stage per op does.
StageNeed largestStageNeed(StageDrafter& drafter);

/// Greedy forward cuts within `budget` bytes, which is at least largestStageNeed. From each op on, the
/// longest stage of whole tensors that fits competes with the best tiled stage; the one that saves more slow
/// traffic against running its ops one by one is taken. A tiled stage grows op by op, over several spatial
/// operators if they come (a chain), until growing no longer pays.
std::vector<StageDraft> partitionOrder(StageDrafter& drafter, uint64_t budget);

/// Slow offsets from `base` on for the tensors that cross a cut and have no place in `slow` yet: alive from the
/// stage that spills them to the last one that loads them. A view made in slow memory shares its source's
/// place. Tensors in the caller's buffers need none. Returns the end of the highest.
uint64_t placeSpills(const Graph& graph, std::span<const StageDraft> stages,
                     const AliasSets& aliases, IoMode io, uint64_t align, uint64_t base,
                     std::vector<Placement>& slow);

} // namespace tigris
