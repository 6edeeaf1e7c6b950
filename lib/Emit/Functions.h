// Functions of one element: float kernels evaluate them at run time, int8 kernels use lookup
// tables.
#pragma once

#include "tigris/Emit/Requant.h"
#include "tigris/IR/Op.h"

#include "tigris_format.h"

#include <array>
#include <optional>

namespace tigris {

/// Number and parameters of the float kernel's function, with ONNX's defaults; nullopt if the
/// operator is not a function of one element.
std::optional<tigris_unary_params> unaryFunction(const Op& op);

/// The same function in double precision, as ONNX defines it.
double evaluateFunction(const tigris_unary_params& function, double x);

/// Entry i is the stored result for the stored value i - 128: dequantized, evaluated in double
/// precision, divided by the output's scale, rounded like quantizeTo, and saturated. NaN becomes
/// the zero point.
std::array<int8_t, 256> lookupTable(const tigris_unary_params& function, const Quant& input,
                                    const Quant& output, IntegerRounding rounding);

/// Entry i is the value that `output` stores for the value i - 128 of `input`, clamped to the
/// range.
std::array<int8_t, 256> requantizeTable(const Quant& input, const Quant& output,
                                        const IntegerRange& range, IntegerRounding rounding);

} // namespace tigris
