// The rules of the runtime's loader for tiled and streamed stages (runtime/src/check/check_tile.c).
// Each rule of the loader has a counterpart here or in the verifier, so that the loader accepts
// every plan that passes the checker.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

namespace tigris {

/// Checks a tiled or streamed stage whose tensors the verifier has checked. Returns an error unless
///  - no axis has more tiles than the longest stored tensor has indices there, and there are at
///    most as many tiles as the largest has elements; in a streamed stage loaded tensors count,
///    too;
///  - every tensor of the stage has one buffer, and every buffer is loaded for some op or written
///    by one op;
///  - only loads are reloaded, along existing axes; only results wait for rows or are sums of rows;
///  - in a streamed stage, rows, columns and waits are at most StreamedStage::MaxRows, and what is
///    loaded by rows is loaded in every step;
///  - buffers in place are loaded or stored, in one stripe, and have all bytes of their tensor or,
///    outside the arena, none;
///  - no buffer overlaps the executor's bookkeeping, and no result overlaps an operand of its op,
///    unless both are in place.
Status checkPartRules(const Graph& graph, const Stage& stage);

} // namespace tigris
