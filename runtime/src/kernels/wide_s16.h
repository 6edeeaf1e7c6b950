/* Arithmetic of int16 activations: 64-bit sums and a single rounding of the result.
 *
 * A factor of a product is at most 65,535 in magnitude, so sums stay far below 2^63. TensorFlow
 * Lite truncates multipliers to 15 bits for 64-bit sums; this library uses all 31, so the result is
 * the exact product rounded once, ties upward. */
#ifndef TIGRIS_WIDE_S16_H
#define TIGRIS_WIDE_S16_H

#include "fixed_point.h"
#include "view.h"

/* Sums are clamped to this magnitude before they are scaled. */
#define TIGRIS_WIDE_LIMIT (INT64_C(1) << 47)

/* round(x * multiplier * 2^(shift - 31)), ties upward; shift in [-31, 30]. Clamped to 2^62 in
 * magnitude. */
static inline int64_t tigris_requantize_wide(int64_t x, int32_t multiplier, int32_t shift) {
  const int32_t right = 31 - shift;
  int64_t high;
  int64_t low;
  if (right < 17) { /* scales by more than 2^13 */
    x = tigris_clamp_s64(x, -INT32_MAX, INT32_MAX);
    return (x * multiplier + (INT64_C(1) << (right - 1))) >> right;
  }
  x = tigris_clamp_s64(x, -TIGRIS_WIDE_LIMIT, TIGRIS_WIDE_LIMIT - 1);
  high = (x >> 16) * multiplier;
  low = ((x & 0xFFFF) * multiplier) >> 16;
  return (high + low + ((INT64_C(1) << (right - 1)) >> 16)) >> (right - 16);
}

/* `v` plus the zero point of the result, clamped to [lo, hi]. */
static inline int16_t tigris_store_s16(int64_t v, int32_t zero, int32_t lo, int32_t hi) {
  return (int16_t)tigris_clamp_s64(v + zero, lo, hi);
}

/* x scaled by a pair of multiplier and shift; rounded as TIGRIS_ROUND_EVEN or TIGRIS_ROUND_TWICE in
 * `op` specifies. */
static inline int16_t tigris_scale_s16(const tigris_op* op, int64_t x, int32_t multiplier,
                                       int32_t shift, int32_t zero, int32_t lo, int32_t hi) {
  int64_t v;
  if (tigris_rounds_even(op))
    v = tigris_quotient_even(tigris_numerator(x, multiplier, 0), shift);
  else if (tigris_rounds_twice(op))
    v = tigris_requantize((int32_t)x, multiplier, shift);
  else
    v = tigris_requantize_wide(x, multiplier, shift);
  return tigris_store_s16(v, zero, lo, hi);
}

static inline const int16_t* tigris_row_s16(const tigris_view* view, uint32_t row) {
  return (const int16_t*)(const void*)tigris_row(view, row);
}

#endif /* TIGRIS_WIDE_S16_H */
