// The specification's temporal partitioning: a greedy forward pass over the order.
#pragma once

#include "tigris/Plan/Stage/StageDrafter.h"

namespace tigris {

/// Ops [begin, end) of an order. `whole` is their stage on whole tensors; nullopt for a single op
/// that does not fit.
struct TemporalStage {
  size_t begin = 0;
  size_t end = 0;
  std::optional<StageDraft> whole;
};

/// Adds ops to a stage as long as its peak is within `budget` bytes (specifiedPeak), then starts
/// the next one.
///
/// That peak lets results take the bytes of their operands. A stage whose peak fits, but whose
/// tensors do not, because an op needs its operands and its result at the same time, is cut again:
/// by the same rule, before the first op with which it has no layout in the budget. A stage of one
/// op has no smaller parts; it is for the spatial partitioning.
std::vector<TemporalStage> partitionInTime(const StageDrafter& drafter, uint64_t budget);

} // namespace tigris
