// Implements PlanOptions::slowdown.
#pragma once

#include "tigris/Plan/Planner.h"

namespace tigris {

/// Whether the options ask for plans in less fast memory than the budget.
bool mayLeaveFree(const PlanOptions& options);

/// `plan`, or a plan in less fast memory that moves only the compulsory bytes, as `plan` does, and
/// takes at most options.slowdown percent longer than one stage would. The budgets that are tried
/// do not depend on that of the options, so that most larger budgets get the same plan.
/// `planIn`: plans the options in another budget.
Plan planLeastFast(const Graph& graph, const PlanOptions& options, Plan plan, PlanDrafts& drafts,
                   const std::function<Expected<Plan>(const PlanOptions&)>& planIn);

} // namespace tigris
