// Scratch that a target's kernels need in addition to the tensors of an op.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Target/Target.h"

namespace tigris {

/// Bytes that the kernel of the whole `op` needs; tiles of it never need more. 0 for ops that run
/// on the reference kernels. The formulas are those of the backends
/// (runtime/include/tigris_scratch.h). Shapes are the stored ones: channels last.
uint64_t kernelScratch(const Graph& graph, const Op& op, KernelLibrary kernels);

/// The maximum over all ops of the graph: ops run one after another and share the scratch.
uint64_t kernelScratch(const Graph& graph, KernelLibrary kernels);

} // namespace tigris
