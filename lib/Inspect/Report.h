// The figures of a model in one record, whether they come from a stream or from a `.tgrs` file: what
// `tigris-dump --format=json` and `tigris-run --stats=json` print.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Inspect/PlanFile.h"
#include "tigris/Support/Json.h"

namespace tigris {

/// A model input or output: as the outside sees it and as it is stored.
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

/// Sizes in bytes. What is not known yet (a stream that has not been planned) is nullopt and prints
/// as null. `compulsory` is traffic no plan can avoid.
struct Report {
  std::string model;
  unsigned formatVersion = 0;
  /// "imported", "normalized", "planned" for streams, "emitted" for plan files.
  std::string stage;
  std::vector<PortReport> inputs;
  std::vector<PortReport> outputs;
  std::optional<uint64_t> budgetFast, budgetSlow, budgetFlash;
  std::optional<std::string> planner, optimize, target, io;
  /// Beside the fast peak, for the kernels of the target.
  std::optional<uint64_t> kernelScratch;
  std::optional<uint64_t> fastPeak, slowPeak, slowRead, slowWrite, compulsory;
  std::optional<uint64_t> recomputeMacs, macs, kernelCalls, ioBytes;
  std::optional<uint64_t> stages, tiledStages, streamedStages, chains;
  std::optional<uint64_t> unscheduledPeak, planBytes, weightBytes, metadataBytes;
  std::optional<uint64_t> boundFast, boundTraffic;
  std::optional<std::string> boundClass;
  /// Plan files only: weight blocks, what they take in flash and unpacked, and the fast memory kept for them.
  std::optional<uint64_t> weightBlocks, packedBytes, unpackedBytes, fastReserved;
  std::optional<bool> provenOptimal;
};

Report reportOf(const PlanFile& file);
Report reportOf(const Graph& graph);

/// The fields of the report into the object that is open in `json`.
void writeReport(JsonWriter& json, const Report& report);

} // namespace tigris
