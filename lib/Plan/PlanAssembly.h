// Turns drafts and their addresses into a plan.
#pragma once

#include "tigris/Plan/PlanRequest.h"

namespace tigris {

/// Cuts, and the schedule whose order they cut.
struct CutOrder {
  Cuts cuts;
  const Schedule* schedule;
};

/// The whole model as one stage; `capacity` bytes of fast memory are available.
CutOrder oneStageOf(const Graph& graph, const Schedule& schedule, IoMode io, uint64_t capacity);

/// A plan with stages, addresses in both memories, and the figures of one inference, but without
/// bounds.
Plan assemblePlan(const PlanRequest& request, const CutOrder& choice);

} // namespace tigris
