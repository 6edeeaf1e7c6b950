// Conversion of half-precision numbers (IEEE 754 binary16) from and to float32.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tigris {

inline float halfToFloat(uint16_t half) {
  const uint32_t sign = (half & 0x8000U) << 16;
  const uint32_t exponent = (half >> 10) & 0x1FU;
  const uint32_t mantissa = half & 0x3FFU;
  if (exponent == 0) { // zero or denormal: mantissa * 2^-24 is exact in float32
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  const uint32_t wideExponent = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | (wideExponent << 23) | (mantissa << 13));
}

/// The nearest half-precision number, ties to even; infinity beyond the largest.
inline uint16_t floatToHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000U;
  const uint32_t magnitude = bits & 0x7FFFFFFFU;
  uint32_t half = 0;
  if (magnitude > 0x7F800000U) // NaN
    half = 0x7E00U;
  else if (magnitude >=
           0x477FF000U) // 65520: halfway between the largest half and the next power of two
    half = 0x7C00U;
  else if (magnitude < 0x38800000U) // below 2^-14: an integer multiple of 2^-24
    half = static_cast<uint32_t>(std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p24F));
  else // drop 13 bits of the mantissa and lower the exponent's bias by 112
    half = (magnitude - (112U << 23) + 0xFFFU + ((magnitude >> 13) & 1U)) >> 13;
  return static_cast<uint16_t>(sign | half);
}

} // namespace tigris
