// Why a plan is not simpler: remarks of the planner.
#pragma once

#include "tigris/Plan/PlanOptions.h"

namespace tigris {

class PlanDrafts;

/// Remarks with the origin "planner" on a plan that planGraph made with these options, or, where
/// `plan` is null, did not find. Nothing about a plan of one whole stage. One remark each for
///  - every op that cannot run row by row ("not-streamed") or in boxes ("not-tiled");
///  - the first op after a stage of whole tensors ("not-added"): what the stage would need with it;
///  - the first op of every tiled stage ("not-whole", "not-streamed"): what these would need.
/// Does nothing unless somebody collects remarks.
void remarkOnPlan(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts,
                  const Plan* plan);

} // namespace tigris
