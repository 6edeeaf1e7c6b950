// Gives both operands of a matrix product a tensor of their own.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Tiles of a product need rows of one operand and columns of the other, in one buffer each. If
/// both operands are the same tensor, a Reshape to its own shape makes a view the second operand;
/// it moves nothing. Returns the number of views.
size_t insertOperandViews(Graph& graph);

} // namespace tigris
