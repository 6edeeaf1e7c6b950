// Bias correction: biases compensate the mean error of rounded weights. Internal.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris::quantize {

/// Lowers the bias of `op` (Conv or Gemm, before its weights are replaced by `integers`) by sum
/// over inputs i of (quantized w - w) * mean(x_i), with `means` per input channel. Ignores the
/// effect of padding at borders. Does nothing for other operators or without means.
void correctBias(Graph& graph, const Op& op, const Tensor& integers,
                 const std::vector<double>& means);

} // namespace tigris::quantize
