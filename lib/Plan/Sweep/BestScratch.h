// The balance of arena and scratch, for kernels whose scratch depends on the call.
#pragma once

#include "tigris/Plan/Planner.h"

namespace tigris {

/// Whether the planner chooses the scratch: the target's kernels need less for parts of ops, and
/// the options do not set it. For the objective memory there is none.
bool choosesScratch(const PlanOptions& options);

/// Plans with several sizes of scratch: none, and sizes with which a growing part of the work runs
/// on the target's kernels, in strips or on whole tensors. For latency, takes the plan with the
/// lowest modeled time. For traffic, takes the fastest of the plans that cost no more than the one
/// without scratch, which leaves the most memory to tensors.
Expected<Plan> planBestScratch(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts);

} // namespace tigris
