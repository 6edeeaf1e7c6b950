// Computes how much fast memory a graph needs.
#pragma once

#include "tigris/Plan/PlanRequest.h"
#include "tigris/Plan/Stage/StageNeed.h"

namespace tigris {

/// The smallest fast budget, including scratch, in which the request can be planned with the orders
/// of its strategy. If there is slow memory, it is assumed to be large enough. `need`:
/// largestStageNeed of an order. Without slow memory, the budget for stages is a multiple of the
/// alignment or what one stage needs. nullopt if tensors cannot be moved by rows in any budget.
/// Without slow memory, a budget that takes more recomputation than the request allows is too
/// small.
std::optional<uint64_t> smallestBudget(const PlanRequest& request, const StageNeed& need);

/// Whether the order can be planned without slow memory in `bytes` bytes for stages. `parts`:
/// whether ops may compute parts of their results twice, if the request allows it.
bool fitsWithoutSlow(const PlanRequest& request, const Schedule& schedule, uint64_t bytes,
                     bool parts = true);

} // namespace tigris
