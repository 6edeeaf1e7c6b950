// Addresses in slow memory.
#pragma once

#include "tigris/Plan/Stage/StageDraft.h"

namespace tigris {

/// Slow offsets from `base` on for the tensors that cross a cut and have no place in `slow` yet:
/// alive from the stage that spills them to the last one that loads them. A view made in slow
/// memory shares its source's place. Tensors in the caller's buffers need none. Returns the end of
/// the highest.
uint64_t placeSpills(const Graph& graph, std::span<const StageDraft> stages,
                     const AliasSets& aliases, IoMode io, uint64_t align, uint64_t base,
                     std::vector<Placement>& slow);

} // namespace tigris
