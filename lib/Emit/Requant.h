// Integer constants of quantized arithmetic, computed exactly like TensorFlow Lite's.
//
// Sources of the formulas, by TFLite file: quantization_util.cc (QuantizeMultiplier,
// PreprocessSoftmaxScaling, CalculateInputRadius), kernel_util.cc
// (PopulateConvolutionQuantizationParams, GetQuantizedConvolutionMultipler,
// CalculateActivationRangeQuantized), add.cc, sub.cc, mul.cc, div.cc. Where TFLite multiplies
// scales in float32 before widening them, so does this code: the last bits of a multiplier can
// change a result.
#pragma once

#include "tigris/IR/Graph.h"

#include <cstdint>

namespace tigris {

/// real value = multiplier * 2^(shift - 31).
///
/// The kernels compute (x * multiplier) >> 31, rounded, then shift right, rounded again. A
/// multiplier in [2^30, 2^31) keeps all bits of the scale and rounds twice. A smaller one with a
/// shift of 0 loses bits of the scale and rounds once.
struct Multiplier {
  int32_t multiplier = 0;
  int32_t shift = 0;
  bool operator==(const Multiplier&) const = default;
};

/// TFLite's form of a finite value >= 0, with all 31 bits. A value below 2^-32 becomes 0, one from
/// 2^30 on the maximum.
Multiplier quantizeMultiplier(double real);

/// The form that rounds once, for values in [2^-12, 1). It keeps at least 19 bits of the scale: the
/// error of the largest result is below 1/4000 of a step. Other values are converted like
/// quantizeMultiplier: below the range the second rounding causes fewer errors; above it there is
/// no second rounding.
Multiplier roundOnceMultiplier(double real);

/// A per-tensor quantization.
struct Quant {
  float scale = 1;
  int32_t zeroPoint = 0;
  bool operator==(const Quant&) const = default;
};

/// The stored value of a real number, saturated to `type`, int8 or int16. Halves go to even as in
/// ONNX, or away from zero as in TFLite, for graphs that round twice.
int32_t quantizeTo(DType type, double real, const Quant& quant, IntegerRounding rounding);

struct IntegerRange {
  int32_t lo = -128;
  int32_t hi = 127;
  bool operator==(const IntegerRange&) const = default;
};

/// Bounds of a clamp to [lo, hi] (infinite: open) in quantized units of the output, rounded like
/// quantizeTo.
IntegerRange clampRange(DType type, float lo, float hi, const Quant& output,
                        IntegerRounding rounding);

/// For the sums of dense layers. int16 has sums of 64 bits, for which TFLite shortens multipliers
/// to their 15 high bits and rounds once; graphs that round as TensorFlow Lite Micro do the same.
Multiplier sumMultiplier(double real, IntegerRounding rounding, DType type);

/// The form for the graph's rounding and kernels of the type: int16 kernels keep all bits and round
/// once in any case, or twice with TIGRIS_ROUND_TWICE.
Multiplier makeMultiplier(double real, IntegerRounding rounding, DType type = DType::Int8);

/// A multiplier divided by a number of values, as TFLite does for means: multiplier and shift stay
/// in range, and the quotient is rounded down.
Multiplier dividedMultiplier(const Multiplier& multiplier, int64_t count);

/// For int8 ADD and SUB: both operands are scaled to twice the larger scale with `leftShift` spare
/// bits.
struct AddConstants {
  int32_t leftShift = 20;
  Multiplier a;
  Multiplier b;
  Multiplier out;
};
AddConstants addConstants(float a, float b, float out, IntegerRounding rounding);

/// For int16 ADD: factors of both operands with a common shift, in `out`, whose multiplier is
/// unused. The larger factor has 31 bits. TFLite differs: it rounds three times.
AddConstants wideAddConstants(float a, float b, float out);

/// For int8 SOFTMAX with exponents in Q5.26, and for int16 SOFTMAX. The scale is that of the input
/// times TensorFlow Lite's beta.
struct SoftmaxConstants {
  int32_t multiplier = 0;
  int32_t leftShift = 0;
  int32_t diffMin = 0;
};
SoftmaxConstants softmaxConstants(double scale);
SoftmaxConstants wideSoftmaxConstants(double scale);

/// in * weight / out. The product is computed in float64 for convolutions and per-channel dense
/// layers, and in float32 for per-tensor dense layers.
double convScale(float input, float weight, float output);
double denseScale(float input, float weight, float output);

} // namespace tigris
