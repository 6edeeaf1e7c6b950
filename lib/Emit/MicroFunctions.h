// Functions of one int8 element that TensorFlow Lite Micro computes by integer algorithms, so that
// its results can differ by one step from the real function's.
//
// Sources of the formulas: tensorflow/lite/kernels/internal/reference/hard_swish.h and
// leaky_relu.h. Other functions have tables of the real function there, too.
#pragma once

#include "tigris/Emit/Requant.h"
#include "tigris/IR/Op.h"

#include <optional>

namespace tigris {

/// The stored result for the stored value x; nullopt if the operator has no such algorithm.
std::optional<int8_t> microFunction(const Op& op, int32_t x, const Quant& input,
                                    const Quant& output);

} // namespace tigris
