// How much fast memory a graph needs.
#pragma once

#include "tigris/Plan/PlanRequest.h"
#include "tigris/Plan/Stage/StageNeed.h"

namespace tigris {

/// The smallest fast budget, scratch included, in which the request can be planned, for the orders
/// its strategy tries and given enough slow memory if any is given. `need`: largestStageNeed of an
/// order. Without slow memory a multiple of the alignment or what one stage needs. nullopt when
/// tensors cannot be moved by rows in any budget.
std::optional<uint64_t> smallestBudget(const PlanRequest& request, const StageNeed& need);

} // namespace tigris
