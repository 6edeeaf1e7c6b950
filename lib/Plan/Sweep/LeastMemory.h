// --optimize=memory.
#pragma once

#include "tigris/Plan/Planner.h"

namespace tigris {

/// The plan that takes the least fast and slow memory together; where there is no slow memory, the
/// least fast memory. It is one for traffic in some budget up to that of `options`. Fails as
/// planGraph does.
Expected<Plan> planLeastMemory(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts);

} // namespace tigris
