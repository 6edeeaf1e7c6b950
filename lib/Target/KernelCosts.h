// What kernel calls cost on a target: the weights of the planner's objectives.
#pragma once

#include "tigris/IR/Graph.h"

#include <array>

namespace tigris {

/// Whose kernels run on the target. Plans leave room for their scratch (Target/KernelScratch.h).
enum class KernelLibrary : uint8_t {
  Reference,  // the runtime's own: no scratch
  CmsisNnC,   // CMSIS-NN as its portable C
  CmsisNnDsp, // CMSIS-NN for the DSP extension
  CmsisNnMve, // CMSIS-NN for Helium
};

/// Operators whose costs follow one line.
enum class WorkClass : uint8_t {
  Conv,      // also grouped and transposed
  Depthwise, // one input channel for each output channel
  Dense,     // dense layers and matrix products
  Pool,      // also global, and reductions
  Elements,  // the rest
};
inline constexpr size_t WorkClasses = 5;

std::string_view workClassName(WorkClass work);

/// A call on w units of work costs call + unit * w.
struct WorkCost {
  double call = 0;
  double unit = 0;

  bool operator==(const WorkCost&) const = default;
};

/// Instructions, or anything else that is in proportion to time: only ratios matter.
struct KernelCosts {
  std::array<WorkCost, WorkClasses> work = {};
  /// Beside each kernel call: the executor, in a stage that runs ops whole and in one that tiles or streams.
  double wholeCall = 0;
  double partCall = 0;
  /// Each byte read from or written to slow memory.
  double slowByte = 0;

  const WorkCost& of(WorkClass kind) const { return work[static_cast<size_t>(kind)]; }
  bool operator==(const KernelCosts&) const = default;
};

/// Those measured with KernelCosts.def.
KernelCosts kernelCosts(KernelLibrary kernels);

WorkClass workClass(const Graph& graph, const Op& op);

/// Units of work for one element of the first output: multiplications, elements of a pool's window, or 1.
/// Shapes are those of a normalized graph.
double workPerElement(const Graph& graph, const Op& op);

/// What `calls` calls of the op's kernel cost that make `elements` elements of its output altogether, with the
/// executor beside them; `isWhole`: its stage runs ops whole.
double kernelCost(const KernelCosts& costs, const Graph& graph, const Op& op, uint64_t calls,
                  uint64_t elements, bool isWhole);

} // namespace tigris
