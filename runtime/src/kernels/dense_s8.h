/* int8 convolutions and dense layers as products: one or two patches of inputs times rows of
 * weights.
 *
 * A patch is the input of one output pixel (or of one line of a dense layer): int16 values with the
 * zero point subtracted, 0 for padding, in the order of the weights. Windows longer than a patch
 * are processed in parts. */
#ifndef TIGRIS_DENSE_S8_H
#define TIGRIS_DENSE_S8_H

#include "fixed_point.h"
#include "view.h"

/* Longest run whose sum of (x - zx) * w fits int32 for all byte values: 2^31 / (255 * 255). */
#define TIGRIS_RUN_S8 32768u

/* Taps of a patch: the sum of this many products of at most 255 * 128 is below 2^21 in
 * magnitude. */
#define TIGRIS_PATCH_S8 64u

/* Per-channel constants that turn an accumulator into an output value. */
typedef struct tigris_dense_s8 {
  const int32_t* bias;       /* NULL: none */
  const int32_t* multiplier; /* [channel * requant_step] */
  const int8_t* shift;       /* [channel * shift_step]; unused with TIGRIS_ROUND_EVEN */
  const int8_t* zeros;       /* weight zero points [channel * zeros_step]; NULL: all 0 */
  /* with TIGRIS_ROUND_EVEN: the denominators [channel * requant_step]; the low words of the offsets
   * are `pairs` numbers further, the high words twice as far. Otherwise NULL. */
  const int32_t* denominator;
  uint32_t pairs;
  uint32_t requant_step;
  uint32_t shift_step;
  uint32_t zeros_step;
  int32_t in_zero;
  int32_t out_zero;
  int32_t lo;
  int32_t hi;
  int twice; /* s16: TIGRIS_ROUND_TWICE */
} tigris_dense_s8;

/* The constants of output channels from `channel` on. */
static inline tigris_dense_s8 tigris_dense_of(const tigris_call* call, uint32_t channel, int32_t lo,
                                              int32_t hi) {
  const tigris_plan* plan = call->plan;
  const tigris_requant r = tigris_requant_of(plan, call->op, call->in[1].tensor);
  tigris_dense_s8 d;
  d.bias = call->op->inputs > 2 ? (const int32_t*)(const void*)call->in[2].data : NULL;
  d.multiplier = r.multiplier + channel * r.step;
  d.shift = r.shift + channel * r.shift_step;
  d.denominator = tigris_rounds_even(call->op) ? d.multiplier + r.pairs : NULL;
  d.zeros = r.zeros == NULL ? NULL : r.zeros + channel * r.zeros_step;
  d.pairs = r.pairs;
  d.requant_step = r.step;
  d.shift_step = r.shift_step;
  d.zeros_step = r.zeros_step;
  d.in_zero = tigris_zero_point(plan, call->in[0].tensor);
  d.out_zero = tigris_zero_point(plan, call->out[0].tensor);
  d.lo = lo;
  d.hi = hi;
  d.twice = tigris_rounds_twice(call->op);
  return d;
}

/* Whether tigris_dense_s8.denominator is used; a constant in builds without TIGRIS_ROUND_EVEN,
 * which then omit the code. */
static inline int tigris_dense_even(const tigris_dense_s8* d) {
  return TIGRIS_EVEN_KERNELS && d->denominator != NULL;
}

/* The output value of channel `o` from its sum of products, rounded to even. */
int32_t tigris_finish_even(const tigris_dense_s8* d, uint32_t o, int64_t sum);

/* What the zero point of channel `o`'s weights adds to its sum of products. */
static inline uint32_t tigris_zero_sum(const tigris_dense_s8* d, uint32_t o, uint32_t inputSum) {
  const int32_t zero = d->zeros[o * d->zeros_step];
  return inputSum * (uint32_t)zero;
}

/* The output value of channel `o` from sum((x - zx) * w) and sum(x - zx). Sums are modulo 2^32. */
static inline int8_t tigris_finish_s8(const tigris_dense_s8* d, uint32_t o, uint32_t sum,
                                      uint32_t inputSum) {
  int32_t v;
  if (d->zeros != NULL)
    sum -= tigris_zero_sum(d, o, inputSum);
  if (tigris_dense_even(d))
    return (int8_t)tigris_finish_even(d, o, (int32_t)sum);
  if (d->bias != NULL)
    sum += (uint32_t)d->bias[o];
  v = tigris_requantize((int32_t)sum, d->multiplier[o * d->requant_step],
                        d->shift[o * d->shift_step]);
  return (int8_t)tigris_clamp_s32(tigris_add_wrap(v, d->out_zero), d->lo, d->hi);
}

/* sum over i of (x[i] - zero) * w[i], modulo 2^32. */
static inline uint32_t tigris_dot1_s8(const int8_t* x, int32_t zero, const int8_t* w,
                                      uint32_t count) {
  uint32_t sum = 0;
  while (count != 0) {
    const uint32_t n = count < TIGRIS_RUN_S8 ? count : TIGRIS_RUN_S8;
    int32_t s = 0;
    uint32_t i;
    for (i = 0; i < n; ++i) {
      const int16_t v = (int16_t)(x[i] - zero);
      s += v * (int16_t)w[i];
    }
    sum += (uint32_t)s;
    x += n;
    w += n;
    count -= n;
  }
  return sum;
}

/* sum over i of (x[i] - zero), modulo 2^32. */
static inline uint32_t tigris_sum_s8(const int8_t* x, int32_t zero, uint32_t count) {
  uint32_t sum = 0;
  uint32_t i;
  for (i = 0; i < count; ++i)
    sum += (uint32_t)(x[i] - zero);
  return sum;
}

/* Writes taps [from, from + n) of a patch; `pixel` is 0 or 1. */
typedef void (*tigris_gather_s8)(const void* source, uint32_t pixel, uint32_t from, uint32_t n,
                                 int16_t* patch);

/* The patches of one or two output pixels. */
typedef struct tigris_patches_s8 {
  tigris_gather_s8 gather;
  const void* source;
  uint32_t pixels; /* 1 or 2 */
  uint32_t taps;   /* length of the patches */
} tigris_patches_s8;

/* to[i] = x[i] - zero */
void tigris_widen_s8(int16_t* to, const int8_t* x, int32_t zero, uint32_t n);

/* y[first + c] from sum[c], as tigris_finish_s8 does, for c < n; overwrites the sums. */
void tigris_finish_run_s8(const tigris_dense_s8* d, uint32_t* sum, uint32_t inputSum,
                          uint32_t first, uint32_t n, int8_t* y);

/* Output channels [first, first + channels) of the pixels. y[k] points to output channel 0 of pixel
 * k. `w` points to the weights of channel `first` for tap 0; those of the next channel are `filter`
 * bytes further. */
void tigris_dense_pixels_s8(const tigris_dense_s8* d, const tigris_patches_s8* patches,
                            const int8_t* w, size_t filter, uint32_t first, uint32_t channels,
                            int8_t* const* y);

#endif /* TIGRIS_DENSE_S8_H */
