// Execution orders: validation, and the depth-first order.
#pragma once

#include "tigris/IR/Graph.h"

#include <span>
#include <vector>

namespace tigris {

/// Whether `order` contains every op of the graph once, each after the producers of its operands.
bool isExecutionOrder(const Graph& graph, std::span<const OpId> order);

/// Depth-first post-order from the model outputs: an op follows its producers, which are visited
/// from the last operand to the first. A branch is finished before its sibling starts, so its
/// tensors die early. Ops that no output depends on come last, in their current order. The graph
/// must be in execution order.
std::vector<OpId> depthFirstOrder(const Graph& graph);

/// The order with the Reshapes whose results are model outputs at its end, unless ops read those
/// results. If the source shares the bytes of the output, nothing is executed there, and the ops
/// before and after the Reshape are next to each other.
std::vector<OpId> outputViewsLast(const Graph& graph, std::vector<OpId> order);

} // namespace tigris
