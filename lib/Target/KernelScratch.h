// Scratch that a target's kernels need beside the tensors of an op.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Target/Target.h"

namespace tigris {

/// Bytes that the kernel of `op` needs whole; tiles of it never need more. 0 for what runs on the reference
/// kernels. The formulas are those of the backends themselves (runtime/include/tigris_scratch.h). Shapes are the
/// stored ones: channels last.
uint64_t kernelScratch(const Graph& graph, const Op& op, KernelLibrary kernels);

/// The most that any op of the graph needs: ops run one after another and share it.
uint64_t kernelScratch(const Graph& graph, KernelLibrary kernels);

} // namespace tigris
