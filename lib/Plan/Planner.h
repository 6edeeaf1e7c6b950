// The planner: from a normalized graph and a memory budget to order, stages, addresses and costs.
#pragma once

#include "tigris/Plan/PlanOptions.h"

#include <functional>

namespace tigris {

class PlanDrafts;

/// Plans one stage that runs the whole model. If that does not fit, plans several stages, tiled or
/// streamed where whole tensors do not fit or cost more. Tensors that cross a cut stay in fast
/// memory (Plan/Search/SegmentSearch.h) or, if there is slow memory, are spilled and reloaded
/// (Plan/Search/GreedySearch.h).
///
/// With slowAsNeeded, the plan uses slow memory only if planning without it fails for the budget.
/// The model is then planned again with as much as the plan needs, and inputs and outputs stay in
/// the caller's buffers unless `io` says otherwise.
///
/// Several orders are tried (Plan/Search/Schedule.h). For one stage, the planner takes the order
/// with the lowest fast peak; for several stages, the order whose cuts cost least. Every model
/// output must have a tensor of its own (insertPortCopies). Products of a tensor with itself are
/// cut only after insertOperandViews.
///
/// Bounds of one stage: no plan of one stage, in any order, has a lower fast peak than
/// bounds.fastPeakBytes (Analysis/OrderSearch.h); slow traffic cannot be lower than the loads and
/// spills of the plan. Bounds of several stages: the fast peak is bounded by the op that needs the
/// most memory when it is cut as finely as possible; addCertificate (Plan/Bounds/Bounds.h) finds
/// better ones. Slow traffic is bounded by leastTraffic (Plan/Bounds/TrafficBound.h).
///
/// DiagId::UnsupportedOp if inputs or outputs cannot be moved by rows in any memory.
/// DiagId::OverBudget if no plan fits; the message states the need, the op and the budget, or the
/// recomputation. With slow memory, every fast budget fits that the reserve and the scratch fit:
/// ops that do not fit when they are cut as finely as possible use tensors in slow memory.
/// DiagId::Usage for an unknown target and for options that checkOptions rejects. The flash budget
/// is compared with the emitted file (emitPlan), not here.
///
/// The reserve and the scratch of the target's kernels (PlanOptions::scratch) are subtracted from
/// the fast budget before anything is placed (FastBudget).
Expected<Plan> planGraph(const Graph& graph, const PlanOptions& options);
/// The same, with drafts that several plans of one graph share.
Expected<Plan> planGraph(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts);

/// Fast memory that planGraph needs, without a reserve, for the order that it chooses. If there is
/// slow memory, it is assumed to be large enough; slowAsNeeded adds it for IoMode::Slow only.
struct BudgetNeeds {
  /// With one stage for the whole model.
  uint64_t oneStage = 0;
  /// The minimum for which a plan is found that runs all ops in fast memory. Without slow memory,
  /// stages use a multiple of the alignment or what oneStage needs.
  uint64_t smallest = 0;
};
Expected<BudgetNeeds> budgetNeeds(const Graph& graph, const PlanOptions& options);
Expected<BudgetNeeds> budgetNeeds(const Graph& graph, const PlanOptions& options,
                                  PlanDrafts& drafts);

/// The options without slowAsNeeded: with slow memory if nothing fits without it. `needs`:
/// budgetNeeds of the options.
PlanOptions decideSlow(const PlanOptions& options, const BudgetNeeds& needs);

/// Processes a plan before its figures are used, for example runs plugins that change it.
/// OverBudget: the plan no longer fits.
using PlanFinisher = std::function<Expected<Plan>(Plan)>;

/// Makes `plan` the graph's plan: sets the graph's order and the form `planned`.
void applyPlan(Graph& graph, Plan plan);

} // namespace tigris
