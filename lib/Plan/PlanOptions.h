// The options of the planner: what a plan is made for, and how.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Plan/Stage/CostModel.h"
#include "tigris/Support/Expected.h"

#include <map>

namespace tigris {

/// How cuts are searched (Strategies.def).
enum class Strategy : uint8_t {
#define TIGRIS_STRATEGY(id, ...) id,
#include "tigris/Plan/Strategies.def"
};
std::string_view strategyName(Strategy strategy);
std::optional<Strategy> parseStrategy(std::string_view name);
std::vector<std::string> strategyNames();

/// What is minimized (Objectives.def).
enum class Objective : uint8_t {
#define TIGRIS_OBJECTIVE(id, ...) id,
#include "tigris/Plan/Objectives.def"
};
std::string_view objectiveName(Objective objective);
std::optional<Objective> parseObjective(std::string_view name);
std::vector<std::string> objectiveNames();

/// Bytes of weights of ops, and their maximum in a tiled or streamed stage. They are brought to
/// fast memory together, because the ops of such a stage run again and again.
struct PartWeights {
  std::map<OpId, uint64_t> bytes;
  uint64_t most = 0;
};

struct PlanOptions {
  MemoryBudget budget;
  /// For budgets without slow memory: if no plan exists without it, use as much as the plan needs.
  /// That becomes the plan's slow budget.
  bool slowAsNeeded = false;
  /// Fast bytes of the budget that the plan leaves free for weights.
  uint64_t reserve = 0;
  /// Fast bytes of the budget for kernels; those that need more are replaced by reference kernels.
  /// If unset: what all kernels of the target need or, where that depends on the call, the size
  /// with the best plan (Plan/Sweep/BestScratch.h).
  std::optional<uint64_t> scratch;
  /// No op has more bytes of weights than the maximum.
  std::optional<PartWeights> partWeights;
  /// Default: IoMode::Slow if there is slow memory, otherwise IoMode::Caller.
  std::optional<IoMode> io;
  Strategy planner = Strategy::Optimal;
  /// Traffic: slow traffic and recomputation in the budget. Latency: the time that traffic,
  /// recomputation and kernel calls take (Plan/Stage/CostModel.h). Memory: the sum of fast and slow
  /// peak (Plan/Sweep/LeastMemory.h). Without slow memory it is the fast peak, and a plan without
  /// recomputation is preferred. A single stage is the best plan for traffic and latency if it
  /// fits.
  Objective optimize = Objective::Traffic;
  /// The number of recomputed multiply-accumulates that one slow byte is worth, for traffic and
  /// memory. 0 means next to nothing.
  uint64_t macsPerSlowByte = MacsPerSlowByte;
  /// Maximum of recomputed multiply-accumulates, in percent of all. If unset, plans recompute what
  /// macsPerSlowByte makes worthwhile or, without slow memory, only what is required to fit. With
  /// slow memory, the option is valid for traffic only, which is then minimized within the limit
  /// (Plan/Sweep/LeastTraffic.h).
  std::optional<uint64_t> recompute;
  /// With slow memory, plans for traffic leave fast memory free that makes them at most this many
  /// percent faster than one stage (Plan/Sweep/LeastFast.h). They move as few bytes as with it.
  uint64_t slowdown = 0;
  /// A name of Targets.def.
  std::string target = "generic";
  /// Every address is a multiple of it: a power of two from MinPlanAlign to MaxPlanAlign
  /// (IR/FormatLimits.h). If unset, that of the target.
  std::optional<uint64_t> align;
  /// Costs for latency, in place of the target's.
  std::optional<KernelCosts> costs;
  /// Each model input (outputRows: output) that is not a state is moved by one streamed stage, so
  /// that a callback can provide it row by row (tigris_set_input_rows). Requires IoMode::Caller and
  /// no slow memory.
  bool inputRows = false;
  bool outputRows = false;

  bool movesRows() const { return inputRows || outputRows; }
};

/// Whether planGraph may add slow memory to the budget: not for options that exclude it.
bool mayAddSlow(const PlanOptions& options);

/// The options of a plan that uses as much slow memory as it needs. Model inputs and outputs are
/// where they are without it.
PlanOptions withSlowAsNeeded(PlanOptions options);
/// The options of a plan without slow memory, with inputs and outputs of IoMode::Slow in the
/// caller's buffers.
PlanOptions withoutSlow(PlanOptions options);

/// DiagId::Usage for options that contradict each other or the graph: a fast budget of 0; a reserve
/// that uses up the fast budget; more scratch than fast memory; an alignment that plans cannot
/// have; IoMode::Slow without slow memory, unless it may be added; IoMode::Arena for a model with
/// states; moving by rows with slow memory, with another IoMode than Caller, or with a strategy
/// that requires slow memory; a limit of recomputation with slow memory for an objective other than
/// traffic.
Status checkOptions(const Graph& graph, const PlanOptions& options);

/// Adds a note to a DiagId::OverBudget error if a reserve has reduced the budget.
Error withReserveNote(Error error, const PlanOptions& options);

/// Model inputs and outputs that must be moved by rows according to the options.
std::vector<TensorId> movedByRows(const Graph& graph, const PlanOptions& options);

} // namespace tigris
