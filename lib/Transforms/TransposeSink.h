// The rewrite shared by transpose-sink and concat-axis-normalize.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Moves Transposes below every permutable operator whose kind `handles` accepts, in execution
/// order, where profitable (see TransposeSink.cpp). Returns whether something moved.
bool sinkTransposes(Graph& graph, bool (*handles)(OpKind));

} // namespace tigris
