// Biases that absorb the mean error of rounded weights. Internal.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris::quantize {

/// Gives `op` (Conv or Gemm, before its weights are replaced by `integers`) a bias lower by
/// sum over inputs i of (quantized w - w) * mean(x_i), with `means` per input channel. Border effects of
/// padding are left out. Does nothing for other operators and where means are missing.
void correctBias(Graph& graph, const Op& op, const Tensor& integers,
                 const std::vector<double>& means);

} // namespace tigris::quantize
