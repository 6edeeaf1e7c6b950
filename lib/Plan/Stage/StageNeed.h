// The op that limits how small the fast arena can be.
#pragma once

#include "tigris/Plan/Stage/StageDrafter.h"

namespace tigris {

struct StageNeed {
  OpId op;
  uint64_t bytes = 0;
};

/// The fast memory of one op by itself when it is cut as finely as possible. Ops that work in one
/// pass need none, because they move no more bytes in slow memory.
uint64_t leastNeed(const StageDrafter& drafter, size_t step);

/// The op that needs the most fast memory by itself when it is cut as finely as possible. With slow
/// memory, a plan with one stage per op works in as much; in less, ops use tensors in slow memory
/// (draftOverflow).
StageNeed largestStageNeed(const StageDrafter& drafter);

} // namespace tigris
