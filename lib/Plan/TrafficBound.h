// A certificate for slow traffic: what no plan with its interface in slow memory can leave out.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Bytes of the model outputs, and of the model inputs as far as some op needs them: of an input that is only cut or
/// sampled (Slice, strides beyond the window) a plan may load less than all.
uint64_t leastTraffic(const Graph& graph);

} // namespace tigris
