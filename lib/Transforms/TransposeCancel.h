// The cleaning up that transpose-cancel and transpose-hoist share.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Merges and removes Transposes as TransposeCancel.cpp says. True when something changed.
bool cancelTransposes(Graph& graph);

} // namespace tigris
