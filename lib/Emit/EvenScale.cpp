// Exact arithmetic on ratios of float32 scales.
#include "tigris/Emit/EvenScale.h"

#include "tigris/Support/Check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace tigris {

namespace {

__extension__ using Wide = __int128;

/// The word of a denominator holds a divisor below 2^26 and a power of at most 60.
constexpr uint64_t DivisorLimit = uint64_t{1} << 26;
constexpr int MostPower = 60;
/// Upper limit of denominators, and of numerators in sums.
constexpr double SumLimit = 2305843009213693952.0; // 2^61
constexpr double NumeratorLimit = 2147483648.0;

/// An odd integer times a power of 2.
struct Odd {
  uint64_t value = 1;
  int exponent = 0;
};

Odd oddPart(uint64_t value) {
  const int zeros = std::countr_zero(value);
  return {value >> zeros, zeros};
}

/// Exact product of floats, each with a mantissa of 24 bits.
Odd product(std::initializer_list<float> factors) {
  constexpr int Bits = 24;
  Odd result;
  for (const float factor : factors) {
    TIGRIS_CHECK(factor > 0 && std::isfinite(factor));
    int exponent = 0;
    const float fraction = std::frexp(factor, &exponent);
    const Odd odd = oddPart(static_cast<uint64_t>(std::ldexp(fraction, Bits)));
    result.value *= odd.value;
    result.exponent += odd.exponent + exponent - Bits;
  }
  return result;
}

int32_t word(uint64_t divisor, int power) {
  return static_cast<int32_t>(static_cast<uint32_t>(divisor) << 6 | static_cast<uint32_t>(power));
}

/// Upper limit of twice a result halfway between two others, which is an odd number.
uint64_t mostHalves(DType type) { return type == DType::Int16 ? 131071 : 511; }

/// real * factor rounded down, and made odd if it is not an integer; factor = times * 2^power.
int64_t oddUnits(const ExactReal& real, uint64_t times, int power) {
  constexpr int FarBelow = 90;
  const int shift = real.exponent + power;
  if (real.mantissa == 0)
    return 0;
  if (shift < -FarBelow)
    return real.mantissa > 0 ? 1 : -1;
  Wide above = static_cast<Wide>(real.mantissa) * static_cast<Wide>(times);
  Wide below = static_cast<Wide>(real.divisor);
  if (shift >= 0)
    above *= static_cast<Wide>(1) << shift;
  else
    below <<= -shift;
  Wide quotient = above / below;
  const Wide rest = above % below;
  quotient -= rest < 0 ? 1 : 0;
  return static_cast<int64_t>(quotient) | (rest != 0 ? 1 : 0);
}

/// Limits an offset that saturates every result to a value just outside the range of results.
ExactReal bounded(const ExactReal& offset, double mostResult) {
  const double bound = std::min(mostResult + 131072, std::ldexp(1.0, 60));
  if (std::abs(offset.value()) <= bound)
    return offset;
  return {static_cast<int64_t>(std::copysign(std::ceil(bound), offset.value())), 0, 1};
}

} // namespace

double Ratio::value() const {
  return std::ldexp(static_cast<double>(numerator) / static_cast<double>(divisor), -power);
}

double ExactReal::value() const {
  return std::ldexp(static_cast<double>(mantissa), exponent) / static_cast<double>(divisor);
}

Ratio ratioOf(std::initializer_list<float> above, std::initializer_list<float> below,
              uint64_t count) {
  const Odd top = product(above);
  const Odd bottom = product(below);
  const Odd counted = oddPart(count);
  const uint64_t byCount = std::gcd(top.value, counted.value);
  const uint64_t byBelow = std::gcd(top.value / byCount, bottom.value);
  return {top.value / byCount / byBelow, bottom.value / byBelow * (counted.value / byCount),
          bottom.exponent + counted.exponent - top.exponent};
}

bool mayTie(const Ratio& ratio, double most, DType type) {
  // sum * numerator / (divisor * 2^power) = odd / 2: the numerator divides the odd number, and
  // divisor * 2^(power - 1) divides the sum
  return ratio.power >= 1 && ratio.numerator != 0 && ratio.numerator <= mostHalves(type) &&
         std::ldexp(static_cast<double>(ratio.divisor), ratio.power - 1) <= most;
}

int64_t largestMagnitude(DType type, int32_t zeroPoint) {
  return std::max(dtypeMax(type) - zeroPoint, zeroPoint - dtypeMin(type));
}

ExactReal quotientOf(int64_t integer, float scale, float below) {
  const Odd top = product({scale});
  const Odd bottom = product({below});
  return {integer * static_cast<int64_t>(top.value), top.exponent - bottom.exponent, bottom.value};
}

EvenScale evenScale(const Ratio& ratio, double most, DType type, const ExactReal& offset) {
  const double value = ratio.value();
  const ExactReal added = bounded(offset, most * value);
  const bool fits =
      ratio.divisor == 1 || (ratio.divisor < DivisorLimit && ratio.numerator <= mostHalves(type));
  for (bool exact = fits;; exact = false) {
    const uint64_t divisor = exact ? ratio.divisor : 1;
    // one power more than the ratio's, so that odd offsets are not halves
    const int least = exact ? std::max(ratio.power + 1, 0) : 0;
    for (int power = MostPower; power >= least; --power) {
      const double whole = std::ldexp(static_cast<double>(divisor), power);
      const double numerator = std::nearbyint(value * whole); // an integer if exact
      if (whole < SumLimit && numerator < NumeratorLimit && numerator * most < SumLimit &&
          std::abs(added.value()) * whole < SumLimit)
        return {static_cast<int32_t>(numerator), word(divisor, power),
                oddUnits(added, divisor, power)};
    }
    if (!exact)
      return {std::numeric_limits<int32_t>::max(), word(1, 0), 0};
  }
}

std::optional<EvenSum> evenSum(DType type, const Quant& a, const Quant& b, const Quant& out) {
  const Ratio x = ratioOf({a.scale}, {out.scale});
  const Ratio y = ratioOf({b.scale}, {out.scale});
  const uint64_t divisor = std::lcm(x.divisor, y.divisor);
  const int power = std::max({x.power, y.power, 0});
  const double whole = std::ldexp(static_cast<double>(divisor), power);
  const double forA = x.value() * whole;
  const double forB = y.value() * whole;
  if (power == 0 || divisor >= DivisorLimit || 256 * whole >= SumLimit || forA >= NumeratorLimit ||
      forB >= NumeratorLimit)
    return std::nullopt;
  const auto numeratorOf = [&](const Ratio& r) {
    return static_cast<int64_t>(r.numerator * (divisor / r.divisor)) << (power - r.power);
  };
  const int64_t numeratorA = numeratorOf(x);
  const int64_t numeratorB = numeratorOf(y);
  const EvenSum sum = {static_cast<int32_t>(numeratorA), static_cast<int32_t>(numeratorB),
                       word(divisor, power)};
  if (type == DType::Int16) // too many pairs to try; a large divisor matches few of them
    return divisor <= mostHalves(DType::Int8) ? std::optional(sum) : std::nullopt;
  const int64_t denominator = static_cast<int64_t>(divisor) << power;
  const int64_t saturated = 256 * denominator;
  const auto isHalf = [&](int64_t numerator) {
    return std::abs(numerator) < saturated && std::abs(numerator) % denominator == denominator / 2;
  };
  for (int64_t i = dtypeMin(type) - a.zeroPoint; i <= dtypeMax(type) - a.zeroPoint; ++i)
    for (int64_t k = dtypeMin(type) - b.zeroPoint; k <= dtypeMax(type) - b.zeroPoint; ++k)
      if (isHalf(i * numeratorA + k * numeratorB) || isHalf(i * numeratorA - k * numeratorB))
        return sum;
  return std::nullopt;
}

std::optional<EvenScale> evenQuotient(const Quant& a, const Quant& b, const Quant& out) {
  constexpr int FarOff = 20; // beyond this, results are 0 or saturated
  const Ratio ratio = ratioOf({a.scale}, {b.scale, out.scale});
  // 255 * numerator / (255 * divisor * 2^power) = odd / 2
  if (ratio.numerator > mostHalves(DType::Int8) * 255 || ratio.divisor > 255 ||
      std::abs(ratio.power) > FarOff || ratio.numerator >> 31 != 0)
    return std::nullopt;
  const int64_t numerator = static_cast<int64_t>(ratio.numerator) << std::max(-ratio.power, 0);
  const int power = std::max(ratio.power, 0);
  const int64_t divisor = static_cast<int64_t>(ratio.divisor) << power;
  if (numerator > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  const EvenScale scale = {static_cast<int32_t>(numerator), word(ratio.divisor, power), 0};
  const int64_t mostA = largestMagnitude(DType::Int8, a.zeroPoint);
  const int64_t mostB = largestMagnitude(DType::Int8, b.zeroPoint);
  for (int64_t i = 1; i <= mostA; ++i)
    for (int64_t k = 1; k <= mostB; ++k)
      if (2 * (i * numerator % (k * divisor)) == k * divisor)
        return scale;
  return std::nullopt;
}

} // namespace tigris
