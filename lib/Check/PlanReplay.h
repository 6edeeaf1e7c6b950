// Replays a plan on a model of the memories and counts what it costs.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

namespace tigris {

/// The figures of a plan that follow from its stages, as the replay counts them.
struct PlanFigures {
  struct OfStage {
    /// The end of the stage's last byte in fast memory.
    uint64_t peak = 0;
    StageStats stats;
  };
  std::vector<OfStage> stages;
  /// Without the figures of the model (StatField::ofModel), which are 0.
  PlanStats stats;
};

/// Replays every transfer and op of a plan that satisfies verifyPlan. Fails like checkPlan if an op
/// does not find its bytes, and with BadPlan as soon as `mostCalls` kernel calls are exceeded,
/// which bounds the time of a replay.
Expected<PlanFigures> replayPlan(const Graph& graph, const Plan& plan, uint64_t mostCalls);

} // namespace tigris
