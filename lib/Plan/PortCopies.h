// Gives every model output a tensor of its own.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// A plan stores each model input and output at its own place. An output that is a model input, a
/// constant or the tensor of another output therefore gets a Reshape to the same shape at the end
/// of the order, which copies it. Returns the number of Reshapes inserted.
size_t insertPortCopies(Graph& graph);

/// Whether insertPortCopies would insert nothing.
bool hasOwnOutputTensors(const Graph& graph);

} // namespace tigris
