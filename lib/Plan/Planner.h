// From a normalized graph and a memory budget to a plan: order, stages, addresses, and their cost.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Plan/Stage/Objective.h"
#include "tigris/Support/Expected.h"

namespace tigris {

class PlanDrafts;

struct PlanOptions {
  MemoryBudget budget;
  /// Default: IoMode::Slow when there is slow memory, IoMode::Caller when not.
  std::optional<IoMode> io;
  /// "optimal": the cheapest cuts that searchSegments finds, or the greedy ones if those cost less. "greedy":
  /// forward cuts (partitionOrder); needs slow memory.
  std::string planner = "optimal";
  /// "traffic": slow traffic and recomputation in the budget; "latency": the time that traffic, recomputation and
  /// kernel calls take (Plan/Stage/Objective.h); "memory": fast and slow peak together, or the fast peak alone without
  /// slow memory, with nothing computed twice if that fits (Plan/Sweep/LeastMemory.h). One stage is the best for the first two where it fits.
  std::string optimize = "traffic";
  /// What a slow byte is worth in multiply-accumulates that are done twice, for "traffic" and "memory"; 0: next to
  /// nothing.
  uint64_t macsPerSlowByte = MacsPerSlowByte;
  /// Most multiply-accumulates that may be done twice, in percent of all. Unset: what macsPerSlowByte makes worthwhile, or,
  /// without slow memory, what there is no room without. With slow memory: for "traffic" only, which then is made as
  /// small as that allows (Plan/Sweep/LeastTraffic.h).
  std::optional<uint64_t> recompute;
  /// Whether to spend time on a bound for plans of several stages that spill nothing (Plan/Bounds/RowBound.h).
  bool certificates = false;
  /// A name of Targets.def.
  std::string target = "generic";
  /// In place of the target's figures, for "latency".
  std::optional<KernelCosts> costs;
  /// Every input that is no state (output, likewise) is moved by one streamed stage, so that a callback can bring it
  /// row by row: tigris_set_input_rows. For plans without slow memory, with IoMode::Caller.
  bool inputRows = false;
  bool outputRows = false;
};

/// One stage that runs the whole model; if that does not fit, several stages, tiled or streamed where whole
/// tensors do not fit or cost more. Tensors that cross a cut stay in fast memory (Plan/Search/SegmentSearch.h) or, if
/// there is slow memory, are spilled and loaded again (Plan/Search/TemporalPartition.h).
///
/// Several orders are tried (Plan/Search/Schedule.h): for one stage the one with the lowest fast peak is taken, for several
/// the one whose cuts cost least. Every model output must have a tensor of its own (insertPortCopies).
///
/// Bounds of one stage: no plan of one stage, in any order, has a lower fast peak than bounds.fastPeakBytes
/// (Analysis/OrderSearch.h); slow traffic cannot be lower than the loads and spills made. Bounds of several:
/// the op that needs most when it is cut as finely as can be, or with certificates that of rowPeakBound where the plan
/// is of its class; and leastTraffic (Plan/Bounds/TrafficBound.h).
///
/// DiagId::UnsupportedOp when inputs or outputs cannot be moved by rows in any memory.
/// DiagId::OverBudget when it does not fit: how much is needed, at which op, and the budget; or how much is computed twice. DiagId::Usage
/// for an unknown planner, objective or target, a fast budget of 0, IoMode::Slow without slow memory,
/// IoMode::Arena for a model with states, rows with another planner, slow memory or IoMode, and a limit of recomputation
/// with slow memory for another objective than traffic.
/// The flash budget is compared with the emitted file (emitPlan), not here.
///
/// The scratch of the target's kernels (Target/KernelScratch.h) comes off the fast budget before anything is placed.
Expected<Plan> planGraph(const Graph& graph, const PlanOptions& options);
/// The same for one of several plans of the graph.
Expected<Plan> planGraph(const Graph& graph, const PlanOptions& options, PlanDrafts& drafts);

/// Fast memory that planGraph needs, for the order it chooses and given enough slow memory if any is given.
struct BudgetNeeds {
  /// With one stage for the whole model.
  uint64_t oneStage = 0;
  /// The least with which any plan is found; without slow memory a multiple of the alignment or oneStage.
  uint64_t smallest = 0;
};
Expected<BudgetNeeds> budgetNeeds(const Graph& graph, const PlanOptions& options);
Expected<BudgetNeeds> budgetNeeds(const Graph& graph, const PlanOptions& options,
                                  PlanDrafts& drafts);

/// Makes the plan the graph's: adopts its order, and the stage becomes `planned`.
void applyPlan(Graph& graph, Plan plan);

} // namespace tigris
