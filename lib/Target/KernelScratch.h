// Scratch that a target's kernels need in addition to the tensors of an op.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Target/Target.h"

namespace tigris {

/// The most of an op's result that one call of its kernel computes, by the axes of [N, H, W, C] or
/// [N, L, C].
struct CallExtents {
  static constexpr int64_t Whole = INT64_MAX;
  int64_t rows = Whole; // H, or L
  int64_t columns = Whole;
  int64_t channels = Whole;

  auto operator<=>(const CallExtents&) const = default;
};

/// Whether calls for parts of an op need less than the whole op. Plans then choose how much scratch
/// they reserve; otherwise they reserve what all ops need.
bool scratchDependsOnCall(KernelLibrary kernels);

/// Bytes that the kernel of `op` needs for such a call; with libraries for which it does not depend
/// on the call, bytes for the whole op. 0 for ops that run on the reference kernels; UINT64_MAX for
/// calls for which the reference kernel is needed whatever the scratch. The formulas
/// are those of the backends (runtime/include/tigris_scratch.h). Shapes are the stored ones:
/// channels last.
uint64_t kernelScratch(const Graph& graph, const Op& op, KernelLibrary kernels,
                       const CallExtents& extents = {});

/// Whether plans for these kernels hold the shifts of requantization in 32 bits, so that the
/// kernels read them in place; otherwise 8 bits suffice.
bool readsWideShifts(KernelLibrary kernels);

/// The maximum over all ops of the graph: ops run one after another and share the scratch.
uint64_t kernelScratch(const Graph& graph, KernelLibrary kernels);

} // namespace tigris
