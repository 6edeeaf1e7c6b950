// Merges stages between which nothing needs to move.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Makes one stage of consecutive whole and direct stages if the second could load its tensors
/// before the first begins, and the first spill its own after the second ends: their bytes are free
/// that long. Ops use the same bytes in the same order, also those in slow memory. Order,
/// addresses, traffic and kernel calls stay the same. Searches draft such stages because each has
/// an arena layout of its own around the residents, and because direct stages consist of one op.
void mergeStages(const Graph& graph, Plan& plan);

} // namespace tigris
