// A certificate for slow traffic: the minimum that a plan with its interface in slow memory moves.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Bytes of the model outputs, and of the parts of the model inputs that the outputs need. A plan
/// need not load all of an input that is sliced or sampled (Slice, strides larger than the window).
/// An input does not count if it is needed only for results that are sliced or sampled themselves.
uint64_t leastTraffic(const Graph& graph);

/// Whether the model outputs need the whole tensor. If they need only a part, a chain may compute
/// only that part.
bool isNeededWhole(const Graph& graph, TensorId id);

} // namespace tigris
