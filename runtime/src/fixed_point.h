/* Fixed-point arithmetic as defined by TensorFlow Lite, and rounding to even as defined by ONNX.
 *
 * Sources: gemmlowp/fixedpoint/fixedpoint.h (SaturatingRoundingDoublingHighMul,
 * RoundingDivideByPOT) and tensorflow/lite/kernels/internal/common.h
 * (MultiplyByQuantizedMultiplier, double rounding). Right shifts of negative numbers are arithmetic
 * on every supported compiler; the tests check it. */
#ifndef TIGRIS_FIXED_POINT_H
#define TIGRIS_FIXED_POINT_H

#include <stdint.h>

/* Sum and left shift modulo 2^32: equal to the plain operators where those are defined. */
static inline int32_t tigris_add_wrap(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a + (uint32_t)b);
}

static inline int32_t tigris_shift_left_wrap(int32_t x, int32_t shift) {
  return (int32_t)((uint32_t)x << shift);
}

/* round(a * b / 2^31), ties upward, saturated. gemmlowp adds a nudge that depends on the sign and
 * divides toward zero, which gives the same number. */
static inline int32_t tigris_high_mul(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN)
    return INT32_MAX;
  return (int32_t)(((int64_t)a * b + (INT64_C(1) << 30)) >> 31);
}

/* round(x / 2^exponent), ties away from zero; exponent in [0, 31]. */
static inline int32_t tigris_divide_pot(int32_t x, int32_t exponent) {
  const int32_t mask = (int32_t)((UINT32_C(1) << exponent) - 1u);
  const int32_t remainder = x & mask;
  const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (remainder > threshold ? 1 : 0);
}

/* x * multiplier * 2^(shift - 31) with both roundings; shift in [-31, 30], > 0 shifts left
 * first. */
static inline int32_t tigris_requantize(int32_t x, int32_t multiplier, int32_t shift) {
  const int32_t left = shift > 0 ? shift : 0;
  const int32_t right = shift > 0 ? 0 : -shift;
  return tigris_divide_pot(tigris_high_mul(tigris_shift_left_wrap(x, left), multiplier), right);
}

/* round(n / d), halves to even; 1 <= d < 2^62. */
int64_t tigris_divide_even(int64_t n, int64_t d);

/* Decodes a denominator divisor * 2^power from the word divisor << 6 | power: TIGRIS_ROUND_EVEN. */
static inline int64_t tigris_denominator(int32_t word) {
  return (int64_t)((uint32_t)word >> 6) << (word & 63);
}

static inline int tigris_denominator_ok(int32_t word) {
  const uint32_t power = (uint32_t)word & 63u;
  const uint32_t divisor = (uint32_t)word >> 6;
  return divisor >= 1 && power <= 60 && divisor <= (UINT64_C(1) << 61 >> power) - 1;
}

/* tigris_divide_even by the denominator in `word`, with a fast path for powers of 2. */
int64_t tigris_quotient_even(int64_t n, int32_t word);

/* x * numerator + offset modulo 2^64. */
static inline int64_t tigris_numerator(int64_t x, int32_t numerator, int64_t offset) {
  return (int64_t)((uint64_t)x * (uint64_t)(int64_t)numerator + (uint64_t)offset);
}

static inline int64_t tigris_clamp_s64(int64_t x, int64_t lo, int64_t hi) {
  return x < lo ? lo : (x > hi ? hi : x);
}

/* The stored value of n / denominator: rounded to even, plus the zero point, clamped to [lo,
 * hi]. */
static inline int32_t tigris_store_even(int64_t n, int32_t word, int32_t zero, int32_t lo,
                                        int32_t hi) {
  return (int32_t)tigris_clamp_s64(tigris_quotient_even(n, word) + zero, lo, hi);
}

static inline int32_t tigris_clamp_s32(int32_t x, int32_t lo, int32_t hi) {
  return x < lo ? lo : (x > hi ? hi : x);
}

/* x scaled by a pair of multiplier and shift; rounded to even if `even`, as TensorFlow Lite does
 * otherwise. */
static inline int32_t tigris_scale_s8(int even, int32_t x, int32_t multiplier, int32_t shift,
                                      int32_t zero, int32_t lo, int32_t hi) {
  if (even)
    return tigris_store_even(tigris_numerator(x, multiplier, 0), shift, zero, lo, hi);
  return tigris_clamp_s32(tigris_add_wrap(tigris_requantize(x, multiplier, shift), zero), lo, hi);
}

/* Number of leading zero bits of x; 32 for 0. */
static inline int32_t tigris_leading_zeros(uint32_t x) {
  int32_t n = 32;
  while (x != 0) {
    x >>= 1;
    --n;
  }
  return n;
}

/* 1 / (1 + x) for x in [0, 1], both Q0.31: three Newton-Raphson steps from 48/17 - 32/17 * d
 * (gemmlowp one_over_one_plus_x_for_x_in_0_1). */
static inline int32_t tigris_one_over_one_plus(int32_t x) {
  const int32_t half = (int32_t)(((int64_t)x + INT32_MAX + 1) / 2);
  int32_t r = 1515870810 + tigris_high_mul(half, -1010580540);
  int32_t i;
  for (i = 0; i < 3; ++i) {
    const int32_t error = (1 << 29) - tigris_high_mul(half, r);
    const int32_t step = tigris_high_mul(r, error);
    r = tigris_add_wrap(r, step > (INT32_MAX >> 2)    ? INT32_MAX
                           : step < -(INT32_MAX >> 2) ? INT32_MIN
                                                      : tigris_shift_left_wrap(step, 2));
  }
  return r > (INT32_MAX >> 1) ? INT32_MAX : tigris_shift_left_wrap(r, 1);
}

#endif /* TIGRIS_FIXED_POINT_H */
