// From a normalized graph and a memory budget to a plan: order, stages, addresses, and their cost.
#pragma once

#include "tigris/Plan/PlanOptions.h"

#include <functional>

namespace tigris {

class PlanDrafts;

/// One stage that runs the whole model; if that does not fit, several stages, tiled or streamed
/// where whole tensors do not fit or cost more. Tensors that cross a cut stay in fast memory
/// (Plan/Search/SegmentSearch.h) or, if there is slow memory, are spilled and loaded again
/// (Plan/Search/GreedySearch.h).
///
/// Several orders are tried (Plan/Search/Schedule.h): for one stage the one with the lowest fast
/// peak is taken, for several the one whose cuts cost least. Every model output must have a tensor
/// of its own (insertPortCopies).
///
/// Bounds of one stage: no plan of one stage, in any order, has a lower fast peak than
/// bounds.fastPeakBytes (Analysis/OrderSearch.h); slow traffic cannot be lower than the loads and
/// spills made. Bounds of several: the op that needs most when it is cut as finely as can be, or
/// with certificates that of rowPeakBound where the plan is of its class; and leastTraffic
/// (Plan/Bounds/TrafficBound.h).
///
/// DiagId::UnsupportedOp when inputs or outputs cannot be moved by rows in any memory.
/// DiagId::OverBudget when it does not fit: how much is needed, at which op, and the budget; or how
/// much is computed twice. DiagId::Usage for an unknown target and as checkOptions says. The flash
/// budget is compared with the emitted file (emitPlan), not here.
///
/// The reserve and the scratch of the target's kernels come off the fast budget before anything is
/// placed (FastBudget).
Expected<Plan> planGraph(const Graph& graph, const PlanOptions& options);
/// The same for one of several plans of the graph of the drafts.
Expected<Plan> planGraph(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts);

/// Fast memory that planGraph needs, without a reserve, for the order it chooses and given enough
/// slow memory if any is given.
struct BudgetNeeds {
  /// With one stage for the whole model.
  uint64_t oneStage = 0;
  /// The least with which any plan is found; without slow memory a multiple of the alignment or
  /// oneStage.
  uint64_t smallest = 0;
};
Expected<BudgetNeeds> budgetNeeds(const Graph& graph, const PlanOptions& options);
Expected<BudgetNeeds> budgetNeeds(const Graph& graph, const PlanOptions& options,
                                  PlanDrafts& drafts);

/// What becomes of a plan before its figures count, as when plugins change it. OverBudget: the plan
/// no longer fits.
using PlanFinisher = std::function<Expected<Plan>(Plan)>;

/// Makes the plan the graph's: adopts its order, and the graph becomes `planned`.
void applyPlan(Graph& graph, Plan plan);

} // namespace tigris
