// The figures of a model as one record, from a module or a `.tgrs` file: the output of `tigris-dump
// --format=json` and `tigris-run --stats=json`.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Inspect/PlanFile.h"
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

/// Sizes in bytes. Unknown figures (a module that has not been planned) are nullopt and print as
/// null. `compulsory` is the traffic that no plan can avoid.
struct Report {
  std::string model;
  unsigned formatVersion = 0;
  /// "imported", "normalized", "planned" for modules; "emitted" for plan files.
  std::string stage;
  std::vector<PortReport> inputs;
  std::vector<PortReport> outputs;
  std::optional<uint64_t> budgetFast, budgetSlow, budgetFlash;
  std::optional<std::string> planner, optimize, target, io;
  /// Fast memory for the scratch of the target's kernels, in addition to the fast peak.
  std::optional<uint64_t> kernelScratch;
  std::optional<uint64_t> fastPeak, slowPeak, slowRead, slowWrite, compulsory;
  std::optional<uint64_t> recomputeMacs, macs, kernelCalls, ioBytes;
  std::optional<uint64_t> stages, tiledStages, streamedStages, chains;
  std::optional<uint64_t> unscheduledPeak, planBytes, weightBytes, metadataBytes;
  std::optional<uint64_t> boundFast, boundTraffic;
  std::optional<std::string> boundClass;
  /// Plan files only: number of weight blocks, their packed and unpacked bytes, and the fast memory
  /// reserved for them.
  std::optional<uint64_t> weightBlocks, packedBytes, unpackedBytes, fastReserved;
  std::optional<bool> provenOptimal;
};

Report reportOf(const PlanFile& file);
Report reportOf(const Graph& graph);

/// Writes the report's fields to the object that is open in `json`.
void writeReport(JsonWriter& json, const Report& report);

} // namespace tigris
