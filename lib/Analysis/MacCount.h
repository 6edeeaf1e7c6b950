// Multiply-accumulate counts of operators, the usual measure of a network's work.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Counts convolutions, transposed convolutions, dense layers and matrix products; 0 for all other
/// ops. Taps in the padding are counted, as in published figures.
uint64_t macCount(const Graph& graph, const Op& op);

} // namespace tigris
