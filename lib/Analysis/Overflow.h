// Which tensors a stage uses in slow memory because they do not fit the fast arena.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// The loads and spills of a whole or direct stage that its ops use in slow memory, where they lie.
/// Empty for tiled and streamed stages, which copy parts of them.
std::vector<TensorId> usedInSlow(const Plan& plan, const Stage& stage);

/// The same without those that only ops in one pass use, which costs no more than copies.
std::vector<TensorId> overflowOf(const Graph& graph, const Plan& plan, const Stage& stage);

/// Whether any stage of the plan has such tensors.
bool hasOverflow(const Graph& graph, const Plan& plan);

} // namespace tigris
