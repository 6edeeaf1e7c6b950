// The cleanup shared by transpose-cancel and transpose-hoist.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Merges and removes Transposes as described in TransposeCancel.cpp. Returns whether something
/// changed.
bool cancelTransposes(Graph& graph);

/// Makes a Transpose that only moves dimensions of size 1 a Reshape, which moves no bytes. False
/// for others.
bool reshapeInstead(Graph& graph, OpId transpose);

} // namespace tigris
