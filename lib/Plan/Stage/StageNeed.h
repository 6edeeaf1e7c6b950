// The op that limits how small the fast arena can be.
#pragma once

#include "tigris/Plan/Stage/StageDrafter.h"

namespace tigris {

struct StageNeed {
  OpId op;
  uint64_t bytes = 0;
};

/// The fast memory that a strategy needs for the op at `step` alone, without tensors in slow
/// memory.
using OpNeed = uint64_t (*)(const StageDrafter& drafter, size_t step);
/// The least that any strategy needs: when the op is cut as finely as possible. Ops that work in
/// one pass need none, because they move no more bytes in slow memory.
uint64_t leastNeed(const StageDrafter& drafter, size_t step);

/// The op with the largest need. With slow memory, a plan with one stage per op works in as much;
/// in less, ops use tensors in slow memory (draftOverflow).
StageNeed largestStageNeed(const StageDrafter& drafter, OpNeed needOf = leastNeed);

} // namespace tigris
