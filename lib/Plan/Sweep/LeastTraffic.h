// Implements --recompute=PERCENT with slow memory.
#pragma once

#include "tigris/Plan/Planner.h"

namespace tigris {

/// The plan with the least slow traffic among those found that recompute at most options.recompute
/// percent of the multiply-accumulates. Tries rising values of macsPerSlowByte in place of that of
/// `options`. Fails like planGraph.
Expected<Plan> planLeastTraffic(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts);

/// DiagId::OverBudget if the plan recomputes more than options.recompute percent of its
/// multiply-accumulates.
Status checkRecompute(const PlanStats& stats, const PlanOptions& options);

} // namespace tigris
