// Scales as fractions of integers, for operators whose results are rounded once, halves to the even number.
//
// Fixed-point multipliers round halves upward, ONNX rounds them to the even number. The difference shows only where a
// result can lie exactly halfway between two integers. A ratio of float32 scales is a fraction; where it is one of small
// integers, as with scales that are powers of 2, there are such results, and the kernels divide integers exactly
// (TIGRIS_ROUND_EVEN of tigris_ops.h). Other ratios never meet a half, and keep their multipliers.
#pragma once

#include "tigris/Emit/Requant.h"

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace tigris {

/// numerator / divisor * 2^-power in lowest terms; both are odd. 0 has the numerator 0.
struct Ratio {
  uint64_t numerator = 0;
  uint64_t divisor = 1;
  int power = 0;
  double value() const;
  bool operator==(const Ratio&) const = default;
};

/// Product of up to two positive floats by that of up to two others and by `count` < 2^16 times 2^n, or any count
/// with one float below.
Ratio ratioOf(std::initializer_list<float> above, std::initializer_list<float> below,
              uint64_t count = 1);

/// Whether sum * ratio is halfway between two integers for a sum of at most `most` in magnitude, where the result is not
/// saturated: results of `type` are at most 255 or 65535 from their zero point.
bool mayTie(const Ratio& ratio, double most, DType type);

/// Largest |stored - zeroPoint| of a tensor of the type.
int64_t largestMagnitude(DType type, int32_t zeroPoint);

/// mantissa * 2^exponent / divisor.
struct ExactReal {
  int64_t mantissa = 0;
  int exponent = 0;
  uint64_t divisor = 1;
  double value() const;
};

/// The number over a float: of a bias in steps of the result.
ExactReal quotientOf(int64_t integer, float scale, float below);

/// (sum * numerator + offset) / (divisor * 2^power), the word of the denominator as tigris_ops.h has it.
struct EvenScale {
  int32_t numerator = 0;
  int32_t denominator = 1 << 6;
  int64_t offset = 0;
};

/// As pairs of a multiplier and a shift lie in a plan.
inline Multiplier pairOf(const EvenScale& scale) { return {scale.numerator, scale.denominator}; }

/// sum * ratio + offset for sums of at most `most` in magnitude, in int64 without overflow. Exact where mayTie; otherwise
/// with as many bits as there is room for. An offset between two of its units is made odd, so that what was no half does
/// not become one.
EvenScale evenScale(const Ratio& ratio, double most, DType type, const ExactReal& offset = {});

/// a' * a / (divisor * 2^power) + b' * b / (divisor * 2^power).
struct EvenSum {
  int32_t a = 0;
  int32_t b = 0;
  int32_t denominator = 1 << 6;
};

/// Of ADD, when some pair of stored values has a sum halfway between two results. The result of SUB is as often there.
std::optional<EvenSum> evenSum(DType type, const Quant& a, const Quant& b, const Quant& out);

/// Of DIV on int8, likewise.
std::optional<EvenScale> evenQuotient(const Quant& a, const Quant& b, const Quant& out);

} // namespace tigris
