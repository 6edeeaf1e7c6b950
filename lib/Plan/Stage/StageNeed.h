// The op that limits how small the fast arena can be.
#pragma once

#include "tigris/Plan/Stage/StageDrafter.h"

namespace tigris {

struct StageNeed {
  OpId op;
  uint64_t bytes = 0;
};

/// The op that needs the most fast memory by itself when it is cut as finely as possible. With slow
/// memory, no plan of the order works in less, and a plan with one stage per op works in as much.
StageNeed largestStageNeed(const StageDrafter& drafter);

} // namespace tigris
