// The figures of a model as one record, from a module or a `.tgrs` file: the output of `tigris-dump
// --format=json` and `tigris-run --stats=json`.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/IR/PlanStats.h"
#include "tigris/Inspect/PlanFile.h"
#include "tigris/Inspect/RamUse.h"
#include "tigris/Support/Json.h"

namespace tigris {

/// A model input or output, in its interface form and its stored form.
struct PortReport {
  std::string name;
  DType type = DType::Undefined;
  std::vector<int64_t> shape;
  DType storedType = DType::Undefined;
  std::vector<int64_t> storedShape;
  /// Per-tensor quantization of the stored tensor.
  std::optional<double> scale;
  std::optional<int64_t> zeroPoint;
};

/// A stage with its figures.
struct StageReport {
  /// "whole", "direct", "tiled", "streamed". A plan file tells no direct stage from a whole one.
  std::string mode;
  /// Parts per axis, "1x7x1x1"; empty for stages that are not tiled.
  std::string tiles;
  /// Index in execution order of the first op, its name, and the number of ops.
  size_t first = 0;
  std::string firstOp;
  size_t ops = 0;
  /// Both are absent in plan files without STAGE_STATS.
  std::optional<uint64_t> peak;
  std::optional<StageStats> stats;
};

struct OpName {
  std::string name;
  std::string kind;
};

/// Sizes in bytes. Unknown figures (a module that has not been planned) are nullopt and print as
/// null (Inspect/Figures.h).
struct Report {
  std::string model;
  unsigned formatVersion = 0;
  /// "imported", "normalized", "planned" for modules; "emitted" for plan files.
  std::string form;
  std::vector<PortReport> inputs;
  std::vector<PortReport> outputs;
  std::optional<uint64_t> budgetFast, budgetSlow, budgetFlash;
  std::optional<std::string> planner, optimize, target, io;
  /// "map": kernels read weights where the file is. "copy": in fast memory, to which the runtime
  /// copies them.
  std::optional<std::string> weightMemory;
  /// Fast memory for the scratch of the target's kernels, in addition to the fast peak.
  std::optional<uint64_t> kernelScratch;
  std::optional<RamUse> ram;
  /// Without the id of the peak's op, which `peakOp` names.
  std::optional<PlanStats> stats;
  /// Without a plan, `stats` may still have the figures of the model (IR/PlanStats.h).
  bool modelOnly = false;
  /// The op during which the unscheduled peak occurs; unknown for plan files.
  std::optional<OpName> peakOp;
  /// The ops that the plan executes twice (IR/Repeats.h); unknown for plan files.
  std::vector<std::string> repeatedOps;
  std::optional<PlanBounds> bounds;
  std::optional<StageCounts> counts;
  std::vector<StageReport> stages;
  std::optional<uint64_t> planBytes, weightBytes, metadataBytes;
  /// Plan files only: number of weight blocks, their packed and unpacked bytes, and the fast memory
  /// reserved for them.
  std::optional<uint64_t> weightBlocks, packedBytes, unpackedBytes, fastReserved;
  std::optional<bool> provenOptimal;

  /// Null without a plan.
  const PlanStats* planStats() const { return stats && !modelOnly ? &*stats : nullptr; }
  /// Sets `stats` and `peakOp`.
  void setStats(const Graph& graph, const PlanStats& known);
};

Report reportOf(const PlanFile& file);
Report reportOf(const Graph& graph);
/// The report of a file with what only the module it was made from knows: direct stages, the views
/// among the ops of stages, and the op of the unscheduled peak.
Report reportOf(const PlanFile& file, const Graph& graph);

/// Writes the report's fields to the object that is open in `json`.
void writeReport(JsonWriter& json, const Report& report);

} // namespace tigris
