// The rewrite that transpose-sink and concat-axis-normalize share.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Moves Transposes below every permutable operator whose kind `handles` accepts, in execution order, where that
/// pays (TransposeSink.cpp says when). True when something moved.
bool sinkTransposes(Graph& graph, bool (*handles)(OpKind));

} // namespace tigris
