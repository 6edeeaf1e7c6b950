// What the runtime's loader asks of a stage with tiles before it runs one (runtime/src/check_tile.c). Each rule there has
// its rule here or in the verifier, so that every plan that passes the checker opens.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

namespace tigris {

/// Of a stage that is tiled or streamed and whose tensors the verifier knows. An error unless
///  - no axis is cut into more tiles than the longest stored tensor has indices there, and there are not more tiles than
///    the largest one has elements; in a streamed stage loaded tensors count, too, and channels are not cut;
///  - every tensor of the stage has one buffer, and every buffer is loaded for some op, or written by one op;
///  - only loads are reloaded, along the axes there are; only results of streamed stages wait or are sums;
///  - no buffer lies over the executor's state, and no result over an operand of its op, unless both are in place.
Status checkTilingRules(const Graph& graph, const Stage& stage);

} // namespace tigris
