// Multiply-accumulates of operators, the usual measure of a network's work.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Convolutions, transposed convolutions, dense layers and matrix products; 0 for everything else.
/// Taps that fall into the padding are counted, as every published figure does.
uint64_t macCount(const Graph& graph, const Op& op);

} // namespace tigris
