// Execution orders: whether a sequence of operators is one, and the depth-first one.
#pragma once

#include "tigris/IR/Graph.h"

#include <span>
#include <vector>

namespace tigris {

/// True when `order` holds every op of the graph once, each after the producers of its operands.
bool isExecutionOrder(const Graph& graph, std::span<const OpId> order);

/// Depth-first post-order from the model outputs: an op follows its producers, which are visited from the
/// last operand to the first, so a branch is finished before its sibling starts and its tensors die
/// early. Ops no output depends on come last, in their present order. The graph must be in execution
/// order.
std::vector<OpId> depthFirstOrder(const Graph& graph);

} // namespace tigris
