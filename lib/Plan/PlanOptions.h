// What a plan is made for and how: the options of the planner.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Plan/Stage/CostModel.h"
#include "tigris/Support/Expected.h"

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

struct PlanOptions {
  MemoryBudget budget;
  /// Fast bytes of the budget that the plan leaves free, for tigris-emit to unpack weights in.
  uint64_t reserve = 0;
  /// Default: IoMode::Slow when there is slow memory, IoMode::Caller when not.
  std::optional<IoMode> io;
  Strategy planner = Strategy::Optimal;
  /// Traffic: slow traffic and recomputation in the budget. Latency: the time that traffic,
  /// recomputation and kernel calls take (Plan/Stage/CostModel.h). Memory: the sum of fast and slow
  /// peak, or the fast peak alone without slow memory, with nothing computed twice if that fits
  /// (Plan/Sweep/LeastMemory.h). One stage is the best for the first two where it fits.
  Objective optimize = Objective::Traffic;
  /// What a slow byte is worth in multiply-accumulates that are done twice, for traffic and memory;
  /// 0: next to nothing.
  uint64_t macsPerSlowByte = MacsPerSlowByte;
  /// Most multiply-accumulates that may be done twice, in percent of all. Unset: what
  /// macsPerSlowByte makes worthwhile, or, without slow memory, only the recomputation required to
  /// fit. With slow memory: for traffic only, which is then minimized within the limit
  /// (Plan/Sweep/LeastTraffic.h).
  std::optional<uint64_t> recompute;
  /// Whether to spend time on a bound for plans of several stages that spill nothing
  /// (Plan/Bounds/RowBound.h).
  bool certificates = false;
  /// A name of Targets.def.
  std::string target = "generic";
  /// In place of the target's figures, for latency.
  std::optional<KernelCosts> costs;
  /// Every input that is no state (output, likewise) is moved by one streamed stage, so that a
  /// callback can bring it row by row: tigris_set_input_rows. For plans without slow memory, with
  /// IoMode::Caller.
  bool inputRows = false;
  bool outputRows = false;

  bool movesRows() const { return inputRows || outputRows; }
};

/// DiagId::Usage for options that contradict each other or the graph: a fast budget of 0, a reserve
/// that leaves nothing of it, IoMode::Slow without slow memory, IoMode::Arena for a model with
/// states, rows with slow memory, another IoMode or a strategy that needs slow memory, and a limit
/// of recomputation with slow memory for another objective than traffic.
Status checkOptions(const Graph& graph, const PlanOptions& options);

/// Adds to a DiagId::OverBudget error that a reserve has come off the budget, if one has.
Error withReserveNote(Error error, const PlanOptions& options);

/// Model inputs and outputs that the options want moved by rows.
std::vector<TensorId> movedByRows(const Graph& graph, const PlanOptions& options);

} // namespace tigris
