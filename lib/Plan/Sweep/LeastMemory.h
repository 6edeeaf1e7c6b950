// Implements --optimize=memory.
#pragma once

#include "tigris/Plan/Planner.h"

namespace tigris {

/// The plan with the lowest sum of fast and slow peak or, without slow memory, with the lowest fast
/// peak, among plans for traffic in budgets up to that of `options`. Fails like planGraph.
Expected<Plan> planLeastMemory(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts);

} // namespace tigris
