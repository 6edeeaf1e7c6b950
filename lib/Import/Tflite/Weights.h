// Constant operands of convolutions and dense layers in the order and type of the graph.
#pragma once

#include "tigris/Import/Tflite/OpContext.h"

namespace tigris {

/// The constant with permuted dimensions, then with the shape `to`. Quantization per channel
/// follows its dimension. Reports an error if the operand is not constant.
TensorId permutedConstant(OpContext& op, TensorId id, const std::vector<int64_t>& perm,
                          const Shape& to, int axis);

/// Weights for an input: those of float inputs are dequantized (dynamic-range models), those of
/// quantized inputs must be quantized.
TensorId weightsFor(OpContext& op, TensorId x, TensorId weights);

/// The bias as int32 for quantized inputs, where 16-bit models have int64, or as float32. Invalid
/// if the operand is absent.
TensorId biasFor(OpContext& op, TensorId x, size_t index);

/// Whether TensorFlow Lite adds up the products of int16 activations in 32 bits: with an int32
/// bias.
bool hasNarrowSums(OpContext& op, TensorId x, size_t bias);

} // namespace tigris
