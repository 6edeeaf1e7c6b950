/* Sums of int16 activations times int8 weights, shared by convolutions and dense layers. */
#ifndef TIGRIS_DENSE_S16_H
#define TIGRIS_DENSE_S16_H

#include "dense_s8.h"
#include "wide_s16.h"

/* Number of products of at most 65,535 * 255 whose sum fits int32. */
#define TIGRIS_RUN_S16 128u

/* sum over i of (x[i] - zero) * (w[i] - weightZero) */
static inline int64_t tigris_dot_s16(const int16_t* x, int32_t zero, const int8_t* w,
                                     int32_t weightZero, uint32_t count) {
  int64_t sum = 0;
  while (count != 0) {
    const uint32_t n = count < TIGRIS_RUN_S16 ? count : TIGRIS_RUN_S16;
    int32_t s = 0;
    uint32_t i;
    for (i = 0; i < n; ++i)
      s += (x[i] - zero) * (w[i] - weightZero);
    sum += s;
    x += n;
    w += n;
    count -= n;
  }
  return sum;
}

static inline int32_t tigris_weight_zero(const tigris_dense_s8* d, uint32_t o) {
  return d->zeros == NULL ? 0 : d->zeros[o * d->zeros_step];
}

/* The output value of channel `o` from its sum of products. */
static inline int16_t tigris_finish_s16(const tigris_dense_s8* d, uint32_t o, int64_t sum) {
  if (tigris_dense_even(d))
    return (int16_t)tigris_finish_even(d, o, sum);
  if (d->bias != NULL)
    sum += d->bias[o];
  if (d->twice)
    sum = tigris_requantize((int32_t)(uint32_t)((uint64_t)sum & UINT32_MAX),
                            d->multiplier[o * d->requant_step], d->shift[o * d->shift_step]);
  else
    sum = tigris_requantize_wide(sum, d->multiplier[o * d->requant_step],
                                 d->shift[o * d->shift_step]);
  return tigris_store_s16(sum, d->out_zero, d->lo, d->hi);
}

#endif /* TIGRIS_DENSE_S16_H */
