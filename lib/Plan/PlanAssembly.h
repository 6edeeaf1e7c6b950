// From drafts and their addresses to a plan.
#pragma once

#include "tigris/Plan/PlanRequest.h"

namespace tigris {

/// Cuts of an order, and that order.
struct CutOrder {
  Cuts cuts;
  const Schedule* schedule;
};

/// The whole model in one stage, with `capacity` bytes of fast memory.
CutOrder oneStageOf(const Graph& graph, const Schedule& schedule, IoMode io, uint64_t capacity);

/// A plan with stages, addresses in both memories, and the figures of one inference. Bounds are
/// left out.
Plan assemblePlan(const PlanRequest& request, const CutOrder& choice);

} // namespace tigris
