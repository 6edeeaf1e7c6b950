// Scales as fractions of integers, for operators whose results are rounded once, halves to even.
//
// Fixed-point multipliers round halves upward; ONNX rounds them to even. The difference matters
// only if a result can be exactly halfway between two integers. A ratio of float32 scales is a
// fraction numerator / divisor * 2^-power. A half requires sum * numerator = odd * divisor *
// 2^(power-1), where the odd number is at most 511 for int8 results.
//
// Example 1: input scale 0.5, weight scale 0.25, output scale 0.5. The ratio is 1/1 * 2^-2, and
// every even sum that is not a multiple of 4 gives a half:
//   sum          2     6     10
//   sum * ratio  0.5   1.5   2.5
//   multiplier   1     2     3
//   ONNX         0     2     2
// Such ops get TIGRIS_ROUND_EVEN (tigris_ops.h): their kernels divide integers exactly.
//
// Example 2: scales 0.1 and 0.3. In float32 the ratio is 13421773 / 5033165 * 2^-3. 13421773 does
// not divide an odd number of at most 511, so that no result is a half. Such ops keep their
// multipliers.
#pragma once

#include "tigris/Emit/Requant.h"

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace tigris {

/// numerator / divisor * 2^-power in lowest terms; numerator and divisor are odd. Zero has the
/// numerator 0.
struct Ratio {
  uint64_t numerator = 0;
  uint64_t divisor = 1;
  int power = 0;
  double value() const;
  bool operator==(const Ratio&) const = default;
};

/// The product of `above` divided by the product of `below` and by `count`; all floats are
/// positive. At most two floats each with count < 2^16 times 2^n, or any count with one float in
/// `below`.
Ratio ratioOf(std::initializer_list<float> above, std::initializer_list<float> below,
              uint64_t count = 1);

/// Whether sum * ratio can be halfway between two integers for a |sum| of at most `most`, without
/// saturation: results of `type` differ from their zero point by at most 255 or 65535.
bool mayTie(const Ratio& ratio, double most, DType type);

/// The largest |stored - zeroPoint| of a tensor of the type.
int64_t largestMagnitude(DType type, int32_t zeroPoint);

/// mantissa * 2^exponent / divisor.
struct ExactReal {
  int64_t mantissa = 0;
  int exponent = 0;
  uint64_t divisor = 1;
  double value() const;
};

/// integer * scale / below: e.g. a bias in units of the result.
ExactReal quotientOf(int64_t integer, float scale, float below);

/// (sum * numerator + offset) / (divisor * 2^power), with the denominator encoded as in
/// tigris_ops.h.
struct EvenScale {
  int32_t numerator = 0;
  int32_t denominator = 1 << 6;
  int64_t offset = 0;
};

/// The encoding in a plan, as a pair of multiplier and shift.
inline Multiplier pairOf(const EvenScale& scale) { return {scale.numerator, scale.denominator}; }

/// sum * ratio + offset for a |sum| of at most `most`, computed in int64 without overflow. Exact if
/// mayTie; otherwise with as many bits as fit. An offset between two units is made odd, so that it
/// does not create halves.
EvenScale evenScale(const Ratio& ratio, double most, DType type, const ExactReal& offset = {});

/// a' * a / (divisor * 2^power) + b' * b / (divisor * 2^power).
struct EvenSum {
  int32_t a = 0;
  int32_t b = 0;
  int32_t denominator = 1 << 6;
};

/// For ADD, if some pair of stored values has a sum halfway between two results. SUB has as many
/// such pairs.
std::optional<EvenSum> evenSum(DType type, const Quant& a, const Quant& b, const Quant& out);

/// The same for DIV on int8.
std::optional<EvenScale> evenQuotient(const Quant& a, const Quant& b, const Quant& out);

} // namespace tigris
