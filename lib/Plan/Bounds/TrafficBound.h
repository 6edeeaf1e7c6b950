// A certificate for slow traffic: the least that a plan with its interface in slow memory moves.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Bytes of the model outputs, and of the model inputs as far as the outputs need them: of an input
/// that is only cut or sampled (Slice, strides beyond the window) a plan may load less than all. An
/// input that is needed only for something that is cut or sampled itself does not count.
uint64_t leastTraffic(const Graph& graph);

/// False for a result of an op of which the model outputs need a part only: a chain may make just
/// that.
bool isNeededWhole(const Graph& graph, TensorId id);

} // namespace tigris
