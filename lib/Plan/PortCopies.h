// Gives every model output a tensor of its own.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// A plan stores each model input and output at its own place, so an output that is a model input,
/// a constant or the tensor of another output gets a Reshape to the same shape at the end of the
/// order, which copies it. Returns how many were inserted.
size_t insertPortCopies(Graph& graph);

/// True when insertPortCopies would insert nothing.
bool hasOwnOutputTensors(const Graph& graph);

} // namespace tigris
