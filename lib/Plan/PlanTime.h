// The modeled time of a plan with the kernels of a target.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Plan/Stage/CostModel.h"
#include "tigris/Target/Target.h"

namespace tigris {

/// The cost of slow bytes, recomputation, kernel calls and missing scratch, over all stages.
uint64_t costOf(const Graph& graph, const Plan& plan, const CostModel& costs);

/// The time of one inference in the unit of `costs`, which replace those of the target.
uint64_t planTime(const Graph& graph, const Plan& plan, const Target& target,
                  const KernelCosts& costs);

/// The same of a plan that runs every op once, on whole tensors, and moves `slowBytes`.
uint64_t oneStageTime(const Graph& graph, uint64_t slowBytes, const KernelCosts& costs);

} // namespace tigris
