// A factor and a summand per output channel become part of the convolution or Gemm before them.
#pragma once

#include "tigris/IR/Graph.h"

#include <vector>

namespace tigris {

/// y = scale * x + shift, one of each per channel.
struct ScaleAndShift {
  std::vector<double> scale;
  std::vector<double> shift;
};

/// Puts the form that op `id` computes from its result into the weights and the bias of the float convolution or
/// Gemm that makes operand `between` for `id` alone; that op takes over the results of `id`, which disappears.
/// False, and nothing changed, where there is no such op or its weights are not constant.
bool scaleProducer(Graph& graph, OpId id, TensorId between, const ScaleAndShift& form);

/// Output channels of that op, or 0.
size_t scalableChannels(const Graph& graph, OpId id, TensorId between);

} // namespace tigris
