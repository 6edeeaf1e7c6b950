// Fixed-point arithmetic of TensorFlow Lite on the host. It is written from the formulas and shares
// no code with the runtime.
#include "tigris/Emit/MicroFunctions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace tigris {

namespace {

int16_t saturate16(int64_t value) {
  return static_cast<int16_t>(std::clamp<int64_t>(value, std::numeric_limits<int16_t>::min(),
                                                  std::numeric_limits<int16_t>::max()));
}

int8_t saturate8(int64_t value) {
  return static_cast<int8_t>(std::clamp<int64_t>(value, -128, 127));
}

/// value / 2^exponent, halves away from zero.
int64_t dividedByPower(int64_t value, int exponent) {
  const int64_t mask = (int64_t{1} << exponent) - 1;
  const int64_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return (value >> exponent) + ((value & mask) > threshold ? 1 : 0);
}

/// a * b / 2^15, rounded.
int16_t highProduct(int16_t a, int16_t b) {
  const int32_t product = int32_t{a} * b;
  const int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return saturate16((product + nudge) / (1 << 15));
}

/// The same, rounded toward zero.
int16_t truncatedProduct(int16_t a, int16_t b) { return saturate16(int32_t{a} * b / (1 << 15)); }

/// The upper half of a multiplier, rounded.
int16_t upperHalf(int32_t multiplier) {
  constexpr int32_t Half = 1 << 15;
  return multiplier >= std::numeric_limits<int32_t>::max() - Half
             ? std::numeric_limits<int16_t>::max()
             : static_cast<int16_t>((multiplier + Half) >> 16);
}

/// x * multiplier * 2^(shift - 31), rounded twice.
int64_t scaled(int32_t x, const Multiplier& by) {
  const int left = std::max<int>(by.shift, 0);
  const int64_t product = (int64_t{x} << left) * by.multiplier;
  return dividedByPower((product + (int64_t{1} << 30)) >> 31, std::max<int>(-by.shift, 0));
}

int8_t hardSwish(int32_t x, const Quant& input, const Quant& output) {
  constexpr int InputBits = 7;
  constexpr float Reluish = 3.0F / 32768.0F;
  const float fine = 1.0F / 128.0F * input.scale;
  const Multiplier forOutput = quantizeMultiplier(static_cast<double>(fine / output.scale));
  const Multiplier forReluish = quantizeMultiplier(static_cast<double>(fine / Reluish));
  const auto value = static_cast<int16_t>((x - input.zeroPoint) * (1 << InputBits));
  const int16_t preshifted = highProduct(value, upperHalf(forOutput.multiplier));
  int16_t reluish = value;
  if (forReluish.shift > 0)
    reluish = saturate16(int64_t{reluish} * (int64_t{1} << (forReluish.shift - 1)));
  reluish = highProduct(reluish, upperHalf(forReluish.multiplier));
  if (forReluish.shift > 0)
    reluish = saturate16(int64_t{reluish} * 2);
  else if (forReluish.shift < 0)
    reluish = static_cast<int16_t>(dividedByPower(reluish, -forReluish.shift));
  reluish = static_cast<int16_t>((int32_t{reluish} + (1 << 15)) >> 1);
  const int16_t result = truncatedProduct(reluish, preshifted);
  return saturate8(dividedByPower(result, std::max<int>(-forOutput.shift, 0)) + output.zeroPoint);
}

int8_t leakyRelu(int32_t x, float alpha, const Quant& input, const Quant& output) {
  const int32_t value = x - input.zeroPoint;
  const float scale = value >= 0 ? input.scale / output.scale : input.scale * alpha / output.scale;
  return saturate8(scaled(value, quantizeMultiplier(static_cast<double>(scale))) +
                   output.zeroPoint);
}

int8_t absolute(int32_t x, const Quant& input, const Quant& output) {
  const int32_t value = std::abs(x - input.zeroPoint);
  const double scale = static_cast<double>(input.scale) / static_cast<double>(output.scale);
  return saturate8(scaled(value, quantizeMultiplier(scale)) + output.zeroPoint);
}

/// 1 / sqrt(x) of an integer > 0 as a multiplier, by five Newton-Raphson steps in Q3.28.
Multiplier inverseRoot(int32_t x) {
  constexpr int64_t One = int64_t{1} << 28;
  constexpr int64_t HalfRootOfTwo = 1518500250;
  const auto high = [](int64_t a, int64_t b) { return (a * b + (int64_t{1} << 30)) >> 31; };
  const auto shifted = [](int64_t a, int bits) {
    return std::clamp<int64_t>(a * (int64_t{1} << bits), std::numeric_limits<int32_t>::min(),
                               std::numeric_limits<int32_t>::max());
  };
  if (x <= 1)
    return {std::numeric_limits<int32_t>::max(), 0};
  int shift = 11;
  const int bits = std::countl_zero(static_cast<uint32_t>(x)) - 1;
  const int pairs = bits / 2 - 1;
  shift -= pairs;
  x <<= 2 * pairs;
  const int64_t half = dividedByPower(x >> 1, 1);
  int64_t result = One;
  for (int step = 0; step < 5; ++step) {
    const int64_t cube = shifted(high(high(result, result), result), 6);
    result = shifted(high(One + One / 2, result) - high(half, cube), 3);
  }
  auto multiplier = static_cast<int32_t>(high(result, HalfRootOfTwo));
  if (shift < 0) {
    multiplier <<= -shift;
    shift = 0;
  }
  return {multiplier, -shift};
}

int8_t inverseRoot(int32_t x, const Quant& input, const Quant& output) {
  constexpr int Spare = 20;
  const int32_t value = x - input.zeroPoint;
  if (value <= 0) // TensorFlow Lite fails below 0
    return std::numeric_limits<int8_t>::max();
  const double scale =
      1.0 / (std::sqrt(static_cast<double>(input.scale)) * static_cast<double>(output.scale));
  Multiplier root = inverseRoot(value);
  root.shift += Spare;
  Multiplier steps = quantizeMultiplier(scale);
  steps.shift -= Spare;
  const int64_t data = scaled(1, root);
  return saturate8(scaled(static_cast<int32_t>(data), steps) + output.zeroPoint);
}

} // namespace

std::optional<int8_t> microFunction(const Op& op, int32_t x, const Quant& input,
                                    const Quant& output) {
  if (op.kind == OpKind::HardSwish)
    return hardSwish(x, input, output);
  if (op.kind == OpKind::Abs)
    return absolute(x, input, output);
  if (op.kind == OpKind::Rsqrt)
    return inverseRoot(x, input, output);
  if (op.kind == OpKind::LeakyRelu) {
    const auto alpha = static_cast<float>(op.attrs.getFloat("alpha", 0.01));
    return alpha >= 0 ? std::optional(leakyRelu(x, alpha, input, output)) : std::nullopt;
  }
  return std::nullopt;
}

} // namespace tigris
