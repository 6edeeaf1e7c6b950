// The lower bounds that are reported with a plan.
#pragma once

#include "tigris/Plan/Stage/StageNeed.h"

namespace tigris {

/// Sets plan.bounds and plan.provenOptimal of a plan with all its stages and stats. `need`: the op
/// that needs most memory when it is cut as finely as possible. `certificates`: also computes
/// rowPeakBound if the plan is of its class.
void addBounds(const Graph& graph, const StageNeed& need, bool certificates, Plan& plan);

} // namespace tigris
