// Exact offsets for buffers with lifetimes, within a given height.
#pragma once

#include "tigris/Analysis/Lifetime.h"

namespace tigris {

enum class FitResult : uint8_t { Found, Impossible, GaveUp };

/// Finds offsets, multiples of `align`, with which every buffer ends at or below `height` and no
/// two buffers that are alive at the same step overlap.
///
/// Branch and bound after Moffitt, "MiniMalloc: A Lightweight Memory Allocator for
/// Hardware-Accelerated Machine Learning" (ASPLOS 2023): buffers are placed by ascending offset,
/// each on top of the buffers below it. A branch is abandoned if the remaining buffers of some step
/// no longer fit above the lowest offset they can still get. It is not entered if it leaves a hole
/// that an unplaced buffer fits. If no unplaced buffer is alive across a step, the search splits
/// there and solves the parts one by one. Several orders of preference take turns with rising
/// limits.
///
/// `work`: the total number of buffers that may be visited; the unused rest is left in it.
FitResult fitOffsets(std::span<const LiveBuffer> buffers, uint64_t align, uint64_t height,
                     size_t& work, std::vector<uint64_t>& offsets);

} // namespace tigris
