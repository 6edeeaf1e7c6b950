// Integer constants of quantized arithmetic, computed exactly as TensorFlow Lite computes them.
//
// Sources of the formulas, by TFLite file: quantization_util.cc (QuantizeMultiplier,
// PreprocessSoftmaxScaling, CalculateInputRadius), kernel_util.cc
// (PopulateConvolutionQuantizationParams, GetQuantizedConvolutionMultipler,
// CalculateActivationRangeQuantized), add.cc, sub.cc, mul.cc, div.cc. Where TFLite multiplies scales in
// float32 before it widens, so do we: the last bits of a multiplier can decide a rounding.
#pragma once

#include "tigris/IR/Graph.h"

#include <cstdint>

namespace tigris {

/// real value = multiplier * 2^(shift - 31).
///
/// The kernels compute (x * multiplier) >> 31, rounded, then shift right, rounded again. A multiplier
/// in [2^30, 2^31) keeps all bits of the scale and rounds twice; a smaller one with a shift of 0 gives
/// up bits of the scale and rounds once.
struct Multiplier {
  int32_t multiplier = 0;
  int32_t shift = 0;
  bool operator==(const Multiplier&) const = default;
};

/// TFLite's form of a finite value >= 0, with all 31 bits. Below 2^-32 it becomes 0, from 2^30 on the largest.
Multiplier quantizeMultiplier(double real);

/// The form that rounds once for values in [2^-12, 1), whose scale keeps 19 bits or more: an error below 1/4000 of
/// a step on the largest result. Other values as quantizeMultiplier: below, the second rounding
/// is off less often than that; above, there is no second one.
Multiplier roundOnceMultiplier(double real);

/// One per-tensor quantization.
struct Quant {
  float scale = 1;
  int32_t zeroPoint = 0;
  bool operator==(const Quant&) const = default;
};

/// Stored value of a real number, saturated to `type`, int8 or int16; halves go to the even number as ONNX has it, or
/// away from zero as TFLite has it where that rounds twice.
int32_t quantizeTo(DType type, double real, const Quant& quant, IntegerRounding rounding);

struct IntegerRange {
  int32_t lo = -128;
  int32_t hi = 127;
  bool operator==(const IntegerRange&) const = default;
};

/// Bounds of a clamp to [lo, hi] (infinite: open) in the output's quantized units, rounded as quantizeTo has it.
IntegerRange clampRange(DType type, float lo, float hi, const Quant& output,
                        IntegerRounding rounding);

/// The form a graph asks for, for kernels of the type: those of int16 keep all bits and round once in any case.
Multiplier makeMultiplier(double real, IntegerRounding rounding, DType type = DType::Int8);

/// Of int8 ADD and SUB: both operands are scaled to twice the larger scale with `leftShift` spare bits.
struct AddConstants {
  int32_t leftShift = 20;
  Multiplier a;
  Multiplier b;
  Multiplier out;
};
AddConstants addConstants(float a, float b, float out, IntegerRounding rounding);

/// Of int16 ADD: factors of both operands with one shift, that of `out`, whose multiplier is unused; the larger
/// factor has 31 bits. Not TFLite's, which rounds three times.
AddConstants wideAddConstants(float a, float b, float out);

/// Of int8 SOFTMAX with exponents in Q5.26.
struct SoftmaxConstants {
  int32_t multiplier = 0;
  int32_t leftShift = 0;
  int32_t diffMin = 0;
};
SoftmaxConstants softmaxConstants(float inputScale);

/// in * weight / out: of convolutions and per-channel dense layers with the product taken in float64, of
/// per-tensor dense layers in float32.
double convScale(float input, float weight, float output);
double denseScale(float input, float weight, float output);

} // namespace tigris
