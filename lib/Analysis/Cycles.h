// Cycles of directed graphs, for messages about models that depend on themselves.
#pragma once

#include "tigris/IR/Graph.h"

#include <string>
#include <utility>
#include <vector>

namespace tigris {

/// A shortest cycle through the first vertex that is on a cycle. It starts with this vertex and
/// follows the edges. Vertices are numbered from 0; an edge is {source, target}. Empty if there is
/// no cycle. Takes linear time.
std::vector<size_t> firstCycle(size_t vertices,
                               const std::vector<std::pair<size_t, size_t>>& edges);

/// The first cycle of the operators in execution order, along the tensors.
std::vector<OpId> firstCycle(const Graph& graph);

/// "a depends on itself: a -> b -> a". For a long cycle, states the start and the length.
std::string cycleMessage(const std::vector<std::string>& names);

} // namespace tigris
