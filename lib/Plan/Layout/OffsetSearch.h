// Exact offsets for buffers with lifetimes, within a given height.
#pragma once

#include "tigris/Analysis/Lifetime.h"

namespace tigris {

enum class FitResult : uint8_t { Found, Impossible, GaveUp };

/// Offsets, multiples of `align`, with which every buffer ends at `height` or below and no two that are alive at the
/// same step overlap.
///
/// Branch and bound after Moffitt, "MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated Machine Learning"
/// (ASPLOS 2023): buffers are placed by rising offset, each on top of what lies below it. A branch is given up when
/// what is left of some step no longer fits above the lowest place it can still get, and not entered when it
/// would leave a hole that an unplaced buffer fits. What is left falls apart where no unplaced buffer is alive across a
/// step, and the parts are searched one by one. Several orders of preference take turns with rising limits.
///
/// `work` is how many buffers may be looked at, altogether; what is not used is left in it.
FitResult fitOffsets(std::span<const LiveBuffer> buffers, uint64_t align, uint64_t height,
                     size_t& work, std::vector<uint64_t>& offsets);

} // namespace tigris
