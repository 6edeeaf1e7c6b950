// Types and shapes of a graph that was written or edited by hand.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Diagnostics.h"

namespace tigris {

/// Gives every tensor of a graph of stage `imported` the type and shape that follow from model inputs, constants and
/// attributes (inferShapes), in place of what it states itself. A model input without a shape takes that of its
/// port. Model outputs follow their tensors; where one stated something else, that is a warning. Reports what
/// cannot be derived and is not stated either; true when nothing was. The operators must have passed
/// verifyOperators().
bool completeShapes(Graph& graph, DiagnosticEngine& diagnostics);

} // namespace tigris
