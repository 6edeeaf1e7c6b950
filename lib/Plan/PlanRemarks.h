// Remarks of the planner: why a plan is not simpler.
#pragma once

#include "tigris/Plan/PlanOptions.h"

namespace tigris {

class PlanDrafts;

/// Adds remarks with the origin "planner" on the plan that planGraph found with these options, or
/// on its failure if `plan` is null. A plan of one whole stage gets none. Other plans get one
/// remark for
///  - every op that cannot run row by row ("not-streamed") or in boxes ("not-tiled");
///  - the first op after a stage of whole tensors ("not-added"): the bytes needed to add it;
///  - the first op of every tiled stage ("not-whole", "not-streamed"): the bytes these would need.
/// Does nothing unless there is a RemarkCollector.
void remarkOnPlan(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts,
                  const Plan* plan);

} // namespace tigris
