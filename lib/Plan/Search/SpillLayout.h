// Assigns addresses in slow memory.
#pragma once

#include "tigris/Plan/Stage/StageDraft.h"

namespace tigris {

/// Adds to `slow` the offsets, from `base` on, of the tensors that cross a cut and have no place
/// there yet. A tensor is alive from the stage that spills it to the last one that loads it. A view
/// made in slow memory shares the place of its source. Tensors in the caller's buffers need none.
/// Returns the end of the highest tensor.
uint64_t placeSpills(const Graph& graph, std::span<const StageDraft> stages,
                     const AliasSets& aliases, IoMode io, uint64_t align, uint64_t base,
                     std::vector<Placement>& slow);

} // namespace tigris
