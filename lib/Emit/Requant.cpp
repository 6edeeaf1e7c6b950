// Multipliers, shifts and clamps.
#include "tigris/Emit/Requant.h"

#include "tigris/Support/Check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tigris {

namespace {

constexpr int32_t MaxShift = 30;
constexpr int32_t MinShift = -31;

int32_t saturate(DType type, double stored) {
  return static_cast<int32_t>(
      std::clamp(stored, static_cast<double>(dtypeMin(type)), static_cast<double>(dtypeMax(type))));
}

} // namespace

Multiplier quantizeMultiplier(double real) {
  TIGRIS_CHECK(real >= 0 && std::isfinite(real));
  if (real == 0)
    return {};
  int shift = 0;
  const double fraction = std::frexp(real, &shift);
  auto fixed = static_cast<int64_t>(std::round(fraction * 2147483648.0));
  if (fixed == int64_t{1} << 31) {
    fixed /= 2;
    ++shift;
  }
  if (shift < MinShift)
    return {};
  if (shift > MaxShift)
    return {std::numeric_limits<int32_t>::max(), MaxShift};
  return {static_cast<int32_t>(fixed), shift};
}

Multiplier roundOnceMultiplier(double real) {
  constexpr int LostBits = 12;
  const Multiplier full = quantizeMultiplier(real);
  if (full.shift >= 0 || full.shift <= -LostBits)
    return full;
  return {static_cast<int32_t>(std::round(std::ldexp(real, 31))), 0};
}

Multiplier makeMultiplier(double real, IntegerRounding rounding, DType type) {
  return rounding == IntegerRounding::Once && type == DType::Int8 ? roundOnceMultiplier(real)
                                                                  : quantizeMultiplier(real);
}

Multiplier sumMultiplier(double real, IntegerRounding rounding, DType type) {
  constexpr int32_t Most = 0x7FFF;
  constexpr int32_t Half = 1 << 15;
  Multiplier result = makeMultiplier(real, rounding, type);
  if (rounding != IntegerRounding::Micro || type != DType::Int16)
    return result;
  const int32_t high = result.multiplier < (Most << 16) ? (result.multiplier + Half) >> 16 : Most;
  result.multiplier = high << 16;
  return result;
}

Multiplier dividedMultiplier(const Multiplier& multiplier, int64_t count) {
  const int bits = std::bit_width(static_cast<uint64_t>(count)) - 1;
  const int shift = std::max(std::min({bits, 32, 31 + multiplier.shift}), 0);
  const int64_t quotient = (static_cast<int64_t>(multiplier.multiplier) << shift) / count;
  return {static_cast<int32_t>(quotient), multiplier.shift - shift};
}

int32_t quantizeTo(DType type, double real, const Quant& quant, IntegerRounding rounding) {
  if (std::isnan(real))
    return quant.zeroPoint;
  const double steps = real / quant.scale;
  const double rounded =
      rounding == IntegerRounding::Once ? std::nearbyint(steps) : std::round(steps);
  return saturate(type, rounded + quant.zeroPoint);
}

IntegerRange clampRange(DType type, float lo, float hi, const Quant& output,
                        IntegerRounding rounding) {
  const auto bound = [&](float real) {
    if (rounding == IntegerRounding::Once)
      return quantizeTo(type, real, output, rounding);
    // float32 division, as in TFLite; the sum fits double exactly
    const double stored = double{std::round(real / output.scale)} + output.zeroPoint;
    return saturate(type, stored);
  };
  IntegerRange range = {static_cast<int32_t>(dtypeMin(type)), static_cast<int32_t>(dtypeMax(type))};
  if (std::isfinite(lo))
    range.lo = bound(lo);
  if (std::isfinite(hi))
    range.hi = std::max(range.lo, bound(hi));
  return range;
}

AddConstants addConstants(float a, float b, float out, IntegerRounding rounding) {
  AddConstants result;
  const double twiceMax = 2 * static_cast<double>(std::max(a, b));
  result.a = makeMultiplier(a / twiceMax, rounding);
  result.b = makeMultiplier(b / twiceMax, rounding);
  result.out =
      makeMultiplier(twiceMax / (static_cast<double>(1 << result.leftShift) * out), rounding);
  return result;
}

AddConstants wideAddConstants(float a, float b, float out) {
  AddConstants result;
  result.leftShift = 0;
  const Multiplier larger = quantizeMultiplier(static_cast<double>(std::max(a, b)) / out);
  result.out.shift = larger.shift;
  const auto factor = [&](float scale) {
    const double fixed = std::ldexp(static_cast<double>(scale) / out, 31 - larger.shift);
    return static_cast<int32_t>(
        std::clamp(std::round(fixed), 0.0, larger.multiplier == 0 ? 0.0 : 2147483647.0));
  };
  result.a.multiplier = factor(a);
  result.b.multiplier = factor(b);
  return result;
}

SoftmaxConstants softmaxConstants(double scale) {
  constexpr int IntegerBits = 5;
  constexpr int TotalBits = 31;
  const double scaled = std::min(scale * (1 << (TotalBits - IntegerBits)), 2147483647.0);
  const Multiplier beta = quantizeMultiplier(scaled);
  SoftmaxConstants result;
  result.multiplier = beta.multiplier;
  result.leftShift = std::max(beta.shift, 0);
  const double radius = static_cast<double>((1 << IntegerBits) - 1) *
                        static_cast<double>(1 << (TotalBits - IntegerBits)) /
                        std::ldexp(1.0, result.leftShift);
  result.diffMin = -static_cast<int32_t>(std::floor(std::min(radius, 2147483647.0)));
  return result;
}

SoftmaxConstants wideSoftmaxConstants(double scale) {
  // differences of 65535 steps stand for 10
  const Multiplier steps = quantizeMultiplier(scale / (10.0 / 65535.0));
  return {steps.multiplier, steps.shift, 0};
}

double convScale(float input, float weight, float output) {
  return static_cast<double>(input) * static_cast<double>(weight) / static_cast<double>(output);
}

double denseScale(float input, float weight, float output) {
  const float product = input * weight;
  return static_cast<double>(product) / static_cast<double>(output);
}

} // namespace tigris
