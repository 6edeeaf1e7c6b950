// The cleanup shared by transpose-cancel and transpose-hoist.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Merges and removes Transposes as described in TransposeCancel.cpp. Returns whether something
/// changed.
bool cancelTransposes(Graph& graph);

} // namespace tigris
