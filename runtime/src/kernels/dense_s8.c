/* The micro-kernels of int8 products, and the loops over parts of patches and blocks of channels.
 *
 * Scalar processors with a 32x32+64 multiply-accumulate compute two pixels with one multiplication
 * (WIDE_MULTIPLY): inputs x0, x1 and weight w give (x0 + x1 * 2^22) * w = x0 * w + (x1 * w) * 2^22.
 * Sums of up to TIGRIS_PATCH_S8 taps stay below 2^21 in magnitude, so the two halves do not mix,
 * and split() separates them. Example: x0 = 3, x1 = -5, w = 7 gives 21 - 35 * 2^22; the low 22 bits
 * are 21, and (sum - 21) / 2^22 is -35. Other processors use int16 products that compilers
 * vectorize. */
#include "dense_s8.h"

#include <string.h>

/* Channels whose sums are held at once. A part of a long patch is gathered once per block. */
#define BLOCK 64u

/* Scalar processors with a single 32x32+64 multiply-accumulate instruction. */
#if defined(__ARM_FEATURE_DSP) && !defined(__ARM_FEATURE_MVE) && !defined(__ARM_NEON)
#define WIDE_MULTIPLY 1
#else
#define WIDE_MULTIPLY 0
#endif

typedef int16_t Patch[TIGRIS_PATCH_S8];

/* sum[c] += x times the weights of channel c, for c < 4. */
static void fourChannels(uint32_t* sum, const int16_t* x, const int8_t* w, size_t filter,
                         uint32_t taps) {
  const int8_t* w1 = w + filter;
  const int8_t* w2 = w1 + filter;
  const int8_t* w3 = w2 + filter;
  int32_t s0 = 0;
  int32_t s1 = 0;
  int32_t s2 = 0;
  int32_t s3 = 0;
  uint32_t i;
#define TAP(k)                                                                                     \
  (s0 += x[k] * (int16_t)w[k], s1 += x[k] * (int16_t)w1[k], s2 += x[k] * (int16_t)w2[k],           \
   s3 += x[k] * (int16_t)w3[k])
#if WIDE_MULTIPLY
  for (; taps >= 8; taps -= 8, x += 8, w += 8, w1 += 8, w2 += 8, w3 += 8) {
    TAP(0), TAP(1), TAP(2), TAP(3);
    TAP(4), TAP(5), TAP(6), TAP(7);
  }
#endif
  for (i = 0; i < taps; ++i)
    TAP(i);
#undef TAP
  sum[0] += (uint32_t)s0;
  sum[1] += (uint32_t)s1;
  sum[2] += (uint32_t)s2;
  sum[3] += (uint32_t)s3;
}

static uint32_t oneChannel(const int16_t* x, const int8_t* w, uint32_t taps) {
  int32_t sum = 0;
  uint32_t i;
  for (i = 0; i < taps; ++i)
    sum += x[i] * (int16_t)w[i];
  return (uint32_t)sum;
}

#if WIDE_MULTIPLY
/* Two pixels share one multiplication as x0 + x1 * 2^LOW_BITS. */
#define LOW_BITS 22

static void split(int64_t sum, uint32_t* sum0, uint32_t* sum1) {
  const int32_t low = (int32_t)((uint32_t)sum << (32 - LOW_BITS)) >> (32 - LOW_BITS);
  *sum0 += (uint32_t)low;
  *sum1 += (uint32_t)((sum - low) >> LOW_BITS);
}

/* One tap of two channels. */
#define TAP(i) (s += (int64_t)x[i] * w[i], t += (int64_t)x[i] * v[i])

static void twoChannels(uint32_t* sum0, uint32_t* sum1, const int32_t* x, const int8_t* w,
                        size_t filter, uint32_t taps) {
  const int8_t* v = w + filter;
  int64_t s = 0;
  int64_t t = 0;
  for (; taps >= 8; taps -= 8, x += 8, w += 8, v += 8) {
    TAP(0), TAP(1), TAP(2), TAP(3);
    TAP(4), TAP(5), TAP(6), TAP(7);
  }
  for (; taps != 0; --taps, ++x, ++w, ++v)
    TAP(0);
  split(s, &sum0[0], &sum1[0]);
  split(t, &sum0[1], &sum1[1]);
}

/* sum[pixel][c] += both patches times the weights of channel c, for an even number of channels. */
static void twoPixels(uint32_t (*sum)[BLOCK], Patch* x, const int8_t* w, size_t filter,
                      uint32_t channels, uint32_t taps) {
  int32_t joined[TIGRIS_PATCH_S8];
  uint32_t i;
  for (i = 0; i < taps; ++i)
    joined[i] = x[0][i] + (int32_t)((uint32_t)x[1][i] << LOW_BITS);
  for (i = 0; i < channels; i += 2)
    twoChannels(&sum[0][i], &sum[1][i], joined, w + i * filter, filter, taps);
}
#else
static void twoChannels(uint32_t* sum0, uint32_t* sum1, Patch* x, const int8_t* w, size_t filter,
                        uint32_t taps) {
  const int16_t* x0 = x[0];
  const int16_t* x1 = x[1];
  const int8_t* v = w + filter;
  int32_t s00 = 0;
  int32_t s01 = 0;
  int32_t s10 = 0;
  int32_t s11 = 0;
  uint32_t i;
  for (i = 0; i < taps; ++i) {
    s00 += x0[i] * (int16_t)w[i];
    s01 += x0[i] * (int16_t)v[i];
    s10 += x1[i] * (int16_t)w[i];
    s11 += x1[i] * (int16_t)v[i];
  }
  sum0[0] += (uint32_t)s00;
  sum0[1] += (uint32_t)s01;
  sum1[0] += (uint32_t)s10;
  sum1[1] += (uint32_t)s11;
}

/* sum[pixel][c] += both patches times the weights of channel c, for an even number of channels. */
static void twoPixels(uint32_t (*sum)[BLOCK], Patch* x, const int8_t* w, size_t filter,
                      uint32_t channels, uint32_t taps) {
  uint32_t i;
  for (i = 0; i < channels; i += 2)
    twoChannels(&sum[0][i], &sum[1][i], x, w + i * filter, filter, taps);
}
#endif

/* sum[pixel][c] += patches times the weights of channel c, for c < channels <= BLOCK. */
static void multiply(uint32_t (*sum)[BLOCK], Patch* x, uint32_t pixels, const int8_t* w,
                     size_t filter, uint32_t channels, uint32_t taps) {
  uint32_t c = 0;
  uint32_t k;
  if (pixels == 2) {
    c = channels & ~1u;
    twoPixels(sum, x, w, filter, c, taps);
  } else {
    for (; c + 4 <= channels; c += 4)
      fourChannels(&sum[0][c], x[0], w + c * filter, filter, taps);
  }
  for (; c < channels; ++c) {
    for (k = 0; k < pixels; ++k)
      sum[k][c] += oneChannel(x[k], w + c * filter, taps);
  }
}

static uint32_t sumOf(const int16_t* x, uint32_t n) {
  int32_t sum = 0;
  uint32_t i;
  for (i = 0; i < n; ++i)
    sum += x[i];
  return (uint32_t)sum;
}

void tigris_widen_s8(int16_t* to, const int8_t* x, int32_t zero, uint32_t n) {
  uint32_t i;
  for (i = 0; i < n; ++i)
    to[i] = (int16_t)(x[i] - zero);
}

/* tigris_requantize, with the common signs tested first because they need half the work. */
static inline int32_t requantize(int32_t x, int32_t multiplier, int32_t shift) {
  if (multiplier < 0 || shift > 0)
    return tigris_requantize(x, multiplier, shift);
  return tigris_divide_pot((int32_t)(((int64_t)x * multiplier + (INT64_C(1) << 30)) >> 31), -shift);
}

int32_t tigris_finish_even(const tigris_dense_s8* d, uint32_t o, int64_t sum) {
  const uint32_t i = o * d->requant_step;
  const uint32_t low = (uint32_t)d->denominator[i + d->pairs];
  const uint32_t high = (uint32_t)d->denominator[i + 2 * d->pairs];
  const int64_t offset = (int64_t)((uint64_t)high << 32 | low);
  return tigris_store_even(tigris_numerator(sum, d->multiplier[i], offset), d->denominator[i],
                           d->out_zero, d->lo, d->hi);
}

/* tigris_finish_run_s8 with TIGRIS_ROUND_EVEN, after the weights' zero points have been applied. */
static void finishEven(const tigris_dense_s8* d, const uint32_t* sum, uint32_t first, uint32_t n,
                       int8_t* y) {
  uint32_t c;
  for (c = 0; c < n; ++c)
    y[first + c] = (int8_t)tigris_finish_even(d, first + c, (int32_t)sum[c]);
}

void tigris_finish_run_s8(const tigris_dense_s8* d, uint32_t* sum, uint32_t inputSum,
                          uint32_t first, uint32_t n, int8_t* y) {
  static const int32_t none = 0;
  const int32_t* multiplier = d->multiplier + first * d->requant_step;
  const int8_t* shift = d->shift + first * d->shift_step;
  const int32_t* bias = d->bias == NULL ? &none : d->bias + first;
  const uint32_t biasStep = d->bias == NULL ? 0 : 1;
  const int isPlain = d->bias != NULL && d->requant_step != 0;
  const uint32_t step = d->requant_step;
  const uint32_t shiftStep = d->shift_step;
  const int32_t zero = d->out_zero;
  const int32_t lo = d->lo;
  const int32_t hi = d->hi;
  uint32_t c;
  for (c = 0; d->zeros != NULL && c < n; ++c)
    sum[c] -= tigris_zero_sum(d, first + c, inputSum);
  if (tigris_dense_even(d)) {
    finishEven(d, sum, first, n, y);
    return;
  }
  y += first;
  for (c = 0; isPlain && c < n; ++c) { /* the usual case, without the steps */
    const int32_t v = requantize((int32_t)(sum[c] + (uint32_t)bias[c]), multiplier[c], *shift);
    y[c] = (int8_t)tigris_clamp_s32(tigris_add_wrap(v, zero), lo, hi);
    shift += shiftStep;
  }
  for (; !isPlain && n != 0; --n) {
    const int32_t v = requantize((int32_t)(*sum++ + (uint32_t)*bias), *multiplier, *shift);
    *y++ = (int8_t)tigris_clamp_s32(tigris_add_wrap(v, zero), lo, hi);
    bias += biasStep;
    multiplier += step;
    shift += shiftStep;
  }
}

void tigris_dense_pixels_s8(const tigris_dense_s8* d, const tigris_patches_s8* patches,
                            const int8_t* w, size_t filter, uint32_t first, uint32_t channels,
                            int8_t* const* y) {
  Patch x[2];
  uint32_t inputSum[2] = {0, 0};
  uint32_t begin;
  uint32_t n;
  for (begin = 0; begin < channels; begin += n) {
    uint32_t sum[2][BLOCK];
    uint32_t from = 0;
    uint32_t k;
    n = channels - begin < BLOCK ? channels - begin : BLOCK;
    for (k = 0; k < patches->pixels; ++k)
      memset(sum[k], 0, n * sizeof sum[k][0]);
    while (from < patches->taps) {
      const uint32_t left = patches->taps - from;
      const uint32_t taps = left < TIGRIS_PATCH_S8 ? left : TIGRIS_PATCH_S8;
      /* A patch that is gathered in one part is kept for all blocks. */
      for (k = 0; k < patches->pixels && (begin == 0 || taps != patches->taps); ++k) {
        patches->gather(patches->source, k, from, taps, x[k]);
        if (d->zeros != NULL && begin == 0)
          inputSum[k] += sumOf(x[k], taps);
      }
      multiply(sum, x, patches->pixels, w + begin * filter + from, filter, n, taps);
      from += taps;
    }
    for (k = 0; k < patches->pixels; ++k)
      tigris_finish_run_s8(d, sum[k], inputSum[k], first + begin, n, y[k]);
  }
}
