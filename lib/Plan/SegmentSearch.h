// The cheapest cuts of an order into whole, direct, tiled and streamed stages.
#pragma once

#include "tigris/Plan/StageDraft.h"

namespace tigris {

/// Longest streamed stage that is tried.
constexpr size_t MaxStreamedOps = 64;

/// Cuts the order into stages within `budget` bytes, which is at least largestStageNeed, so that the sum of
/// their draftCost is least, with fewer kernel calls where that is equal. Candidates from every op on: whole
/// stages of any length, streamed stages of up to MaxStreamedOps ops, and the op alone, tiled or direct. Every
/// tensor that crosses a cut is spilled and loaded again; keeping some in fast memory is not considered.
std::vector<StageDraft> searchSegments(StageDrafter& drafter, uint64_t budget);

} // namespace tigris
