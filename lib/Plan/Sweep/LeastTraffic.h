// --recompute=PERCENT with slow memory.
#pragma once

#include "tigris/Plan/Planner.h"

namespace tigris {

/// The plan with the least slow traffic of those found in which at most options.recompute percent
/// of the multiply-accumulates are done twice: plans for rising worths of a byte in place of
/// options.macsPerSlowByte. Fails as planGraph does.
Expected<Plan> planLeastTraffic(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts);

/// DiagId::OverBudget when more than options.recompute percent of the multiply-accumulates are done
/// twice.
Status checkRecompute(const PlanStats& stats, const PlanOptions& options);

} // namespace tigris
