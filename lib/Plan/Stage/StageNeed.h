// The op that limits how small the fast arena can be.
#pragma once

#include "tigris/Plan/Stage/StageDrafter.h"

namespace tigris {

struct StageNeed {
  OpId op;
  uint64_t bytes = 0;
};

/// The op that needs most fast memory alone, cut as finely as it can be. With slow memory, no plan
/// of the order works in less, and one stage per op works in as much.
StageNeed largestStageNeed(const StageDrafter& drafter);

} // namespace tigris
