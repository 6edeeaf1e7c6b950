// Which model inputs and outputs of a plan a callback can supply or receive.
#pragma once

#include "tigris/IR/Graph.h"

#include <set>

namespace tigris {

/// Model inputs and outputs that are in the caller's buffers and that one streamed stage moves row
/// by row, each row once and in order, while nothing else accesses them; and inputs that nothing
/// reads. They need no buffer if the firmware moves them in a callback. The rule is that of
/// tigris_set_input_rows.
std::set<TensorId> portsByRows(const Graph& graph, const Plan& plan);

} // namespace tigris
