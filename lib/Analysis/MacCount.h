// Multiply-accumulate counts of operators, the usual measure of a network's work.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Counts convolutions, transposed convolutions, dense layers and matrix products; 0 for all other
/// ops. Taps in the padding are counted, as in published figures.
uint64_t macCount(const Graph& graph, const Op& op);

/// Those of the graph's ops without repeats (IR/Repeats.h): the work of the model.
uint64_t modelMacs(const Graph& graph);
/// Those of the repeats among the ops.
uint64_t repeatedMacs(const Graph& graph, std::span<const OpId> ops);

} // namespace tigris
