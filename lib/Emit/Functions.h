// Functions of one element: float kernels evaluate them at run time, int8 kernels use lookup
// tables.
#pragma once

#include "tigris/Emit/Requant.h"
#include "tigris/IR/Op.h"

#include "tigris_format.h"

#include <array>

namespace tigris {

/// Number and parameters of the float kernel's function, for an operator of class Function.
tigris_unary_params unaryParams(const Op& op);

/// Entry i is the stored result of an operator of class Function for the stored value i - 128:
/// dequantized, evaluated in double precision, divided by the output's scale, rounded like
/// quantizeTo, and saturated. NaN becomes the zero point. For graphs that round as TensorFlow Lite
/// Micro, see MicroFunctions.h.
std::array<int8_t, 256> lookupTable(const Op& op, const Quant& input, const Quant& output,
                                    IntegerRounding rounding);

/// Entry i is the value that `output` stores for the value i - 128 of `input`, clamped to the
/// range.
std::array<int8_t, 256> requantizeTable(const Quant& input, const Quant& output,
                                        const IntegerRange& range, IntegerRounding rounding);

} // namespace tigris
