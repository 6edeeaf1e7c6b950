// The data of the pictures of a plan: blocks of memory over steps, stages, operators, quantization.
//
// A step is one operator in execution order. Modules and plan files give the same picture, except
// for data that a file does not contain: activations fused into operators, ONNX names.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Inspect/Report.h"

namespace tigris {

/// Bytes that belong to one tensor, or to the executor, from step `first` to step `last`.
struct PictureBlock {
  std::string name;
  /// "int8 [1, 8, 8, 16]".
  std::string type;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  size_t first = 0;
  size_t last = 0;
  /// "load", "spill", "whole" (written and read inside the stage), "tile" (part of a tensor),
  /// "sums" (of a sink), "bookkeeping" (the executor's bookkeeping of a tiled stage), "weights" (an
  /// unpacked block), "slow" (a whole tensor in slow memory).
  std::string role;
  /// Resident: an earlier block holds the same bytes until this one begins.
  bool isThere = false;
};

struct PictureStep {
  std::string name;
  std::string kind;
  size_t stage = 0;
  /// Fast bytes covered by blocks, and the highest end of a block. A streamed stage keeps rows of
  /// all its blocks between its steps, so all of them count for each of its operators.
  uint64_t live = 0;
  uint64_t top = 0;
};

/// The figures of a stage are those of the report (StageReport), at the same index.
struct PictureStage {
  std::string mode;
  size_t first = 0;
  size_t count = 0;
  std::vector<std::string> loads;
  std::vector<std::string> spills;
};

struct PictureOp {
  std::string name;
  std::string kind;
  std::string activation;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> origin;
};

struct PictureQuant {
  std::string tensor;
  std::string type;
  std::string scale;
  std::string zeroPoint;
};

/// A block that is live at the peak.
struct PeakPart {
  /// Index into `fast`.
  size_t block = 0;
  /// Bytes that no earlier part covers; never 0.
  uint64_t bytes = 0;
};

struct PlanPicture {
  Report report;
  std::vector<PictureStep> steps;
  std::vector<PictureBlock> fast;
  std::vector<PictureBlock> slow;
  std::vector<PictureStage> stages;
  std::vector<PictureOp> ops;
  std::vector<PictureQuant> quants;
  /// The step with the most live bytes among those that reach the highest address; 0 without steps.
  size_t peakStep = 0;
  /// The blocks live at that step, largest first; together they take steps[peakStep].live bytes.
  /// The rest of the peak is gaps between them: alignment and space too small for other blocks.
  std::vector<PeakPart> peakParts;

  uint64_t peakGaps() const {
    return steps.empty() ? 0 : steps[peakStep].top - steps[peakStep].live;
  }
};

/// Texts from the model are unchanged; page and SVG make them printable().
PlanPicture pictureOf(const PlanFile& file);
/// Fails with DiagId::BadPlan if the graph has no plan.
Expected<PlanPicture> pictureOf(const Graph& graph);

/// A self-contained page: the memory map over time, the timeline of live bytes, stages, operators,
/// quantization, and with `other` the differences of two plans. Equal plans give equal bytes.
std::string htmlOf(const PlanPicture& plan, const PlanPicture* other = nullptr);

/// The memory map with its timeline as an SVG, 960 wide, readable on light and dark backgrounds.
std::string svgOf(const PlanPicture& plan);

} // namespace tigris
