// Ops that can add the rows of their operand to sums as they arrive, instead of needing all of them
// at a time.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Bytes of the sums of one image, an index of the outermost axis, if a kernel of the runtime can
/// add rows (indices of axis 1) of operand 0 one after the other; otherwise 0. The op then has no
/// other activation and writes one row, which has the images of the operand. There is one sum per
/// element of this row (TIGRIS_TILE_SINK in runtime/include/tigris_format.h).
uint64_t rowSumBytes(const Graph& graph, const Op& op);

} // namespace tigris
