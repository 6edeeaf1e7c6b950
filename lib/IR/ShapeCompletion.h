// Completes types and shapes of a graph that was written or edited by hand.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Diagnostics.h"

namespace tigris {

/// Gives every tensor of an imported graph the type and shape that follow from model inputs,
/// constants and attributes (inferShapes), replacing declared ones. A model input without a shape
/// takes that of its port. Model outputs follow their tensors, with a warning if they declare
/// something else. Reports types and shapes that can neither be derived nor are declared; returns
/// whether there were none. The operators must have passed verifyOperators().
bool completeShapes(Graph& graph, DiagnosticEngine& diagnostics);

} // namespace tigris
