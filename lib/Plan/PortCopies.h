// Gives every model output a tensor of its own.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// A plan stores each model input and output at its own place. An output that is a model input, a
/// constant or the tensor of another output therefore gets a Reshape to the same shape at the end
/// of the order, which copies it. Returns the number of Reshapes inserted. A constant that
/// keepConstantOutputs leaves alone is copied only if `copiesConstants` is set.
size_t insertPortCopies(Graph& graph, bool copiesConstants = true);

/// Where the plan's weights are memory-mapped, an output that is a constant needs no memory:
/// readers find its bytes in the plan. Removes the Reshapes that copy constants to outputs, so that
/// the output's own tensor becomes the constant. They remain for states, and if the model has no
/// other ops. Returns the number of Reshapes removed.
size_t keepConstantOutputs(Graph& graph);

/// Whether every output has a tensor of its own that an op writes, or that is a constant.
bool hasOwnOutputTensors(const Graph& graph);

} // namespace tigris
