// Costs of kernel calls on a target: the weights of the planner's objectives.
#pragma once

#include "tigris/IR/Graph.h"

#include <array>

namespace tigris {

/// The kernels used on the target. Plans reserve memory for their scratch (Target/KernelScratch.h).
enum class KernelLibrary : uint8_t {
  Reference,  // the runtime's own: no scratch
  CmsisNnC,   // CMSIS-NN as its portable C
  CmsisNnDsp, // CMSIS-NN for the DSP extension
  CmsisNnMve, // CMSIS-NN for Helium
  EspNnS3,    // ESP-NN for the ESP32-S3
};

/// Classes of operators with a common linear cost function.
enum class WorkClass : uint8_t {
  Conv,      // including grouped and transposed
  Depthwise, // one input channel for each output channel
  Dense,     // dense layers and matrix products
  Pool,      // including global pools and reductions
  Elements,  // all others
};
inline constexpr size_t WorkClasses = 5;

std::string_view workClassName(WorkClass work);

/// A call on w units of work costs call + unit * w.
struct WorkCost {
  double call = 0;
  double unit = 0;

  bool operator==(const WorkCost&) const = default;
};

/// Instructions, or another measure proportional to time: only ratios matter.
struct KernelCosts {
  std::array<WorkCost, WorkClasses> work = {};
  /// The executor's cost per kernel call: in a stage that runs whole ops, and in one that tiles or
  /// streams.
  double wholeCall = 0;
  double partCall = 0;
  /// Per byte read from or written to slow memory.
  double slowByte = 0;

  const WorkCost& of(WorkClass kind) const { return work[static_cast<size_t>(kind)]; }
  bool operator==(const KernelCosts&) const = default;
};

/// The measured costs of KernelCosts.def.
KernelCosts kernelCosts(KernelLibrary kernels);

WorkClass workClass(const Graph& graph, const Op& op);

/// Units of work per element of the first output: multiplications, elements of a pool's window, or
/// 1. Shapes are those of a normalized graph.
double workPerElement(const Graph& graph, const Op& op);

/// The cost of `calls` calls of the op's kernel that compute `elements` elements of its output in
/// total, including the executor; `isWhole`: the stage runs whole ops.
double kernelCost(const KernelCosts& costs, const Graph& graph, const Op& op, uint64_t calls,
                  uint64_t elements, bool isWhole);

} // namespace tigris
