/* The products of widened columns and filters. */
#include "dsp.h"

#include "fixed_point.h"

#ifdef TIGRIS_CMSIS_NN_OWN_DSP

void tigris_dsp_widen(uint32_t* to, const int8_t* x, uint32_t count, int32_t zero, uint32_t step) {
  const uint32_t offset = (uint32_t)-zero << 16 | ((uint32_t)-zero & 0xFFFFu);
  uint32_t i;
  for (i = count / 4u; i != 0; --i) {
    const uint32_t word = tigris_dsp_load(x);
    to[0] = tigris_dsp_add_even(offset, word);
    to[step] = tigris_dsp_add_odd(offset, word);
    to += 2u * step;
    x += 4;
  }
  for (i = count & 3u; i != 0; --i) {
    *to = (uint32_t)(*x++ - zero);
    to += step;
  }
}

/* Products of two interleaved columns with two interleaved filters over `groups` (at least one)
 * groups of four values: s[0], s[1] for column 0, s[2], s[3] for column 1. */
static inline void twoByTwo(uint32_t* s, const uint32_t* b, const int8_t* w, uint32_t count,
                            uint32_t groups) {
  uint32_t s00 = s[0];
  uint32_t s01 = s[1];
  uint32_t s10 = s[2];
  uint32_t s11 = s[3];
  const int8_t* v = w + count;
  const int8_t* const end = w + groups * 4u;
#if defined(__ARM_FEATURE_DSP)
  uint32_t a0;
  uint32_t a1;
  uint32_t e;
  /* Assembly because a compiler spills here: the loop uses all 13 available registers. */
  __asm volatile("1:\n"
                 " ldr %[a0], [%[w]], #4\n"
                 " ldr %[a1], [%[v]], #4\n"
                 " ldrd r2, r3, [%[b]], #8\n"
                 " sxtb16 %[e], %[a0]\n"
                 " smlad %[s00], %[e], r2, %[s00]\n"
                 " smlad %[s10], %[e], r3, %[s10]\n"
                 " sxtb16 %[e], %[a1]\n"
                 " smlad %[s01], %[e], r2, %[s01]\n"
                 " smlad %[s11], %[e], r3, %[s11]\n"
                 " ldrd r2, r3, [%[b]], #8\n"
                 " sxtb16 %[a0], %[a0], ror #8\n"
                 " smlad %[s00], %[a0], r2, %[s00]\n"
                 " smlad %[s10], %[a0], r3, %[s10]\n"
                 " sxtb16 %[a1], %[a1], ror #8\n"
                 " cmp %[w], %[end]\n"
                 " smlad %[s01], %[a1], r2, %[s01]\n"
                 " smlad %[s11], %[a1], r3, %[s11]\n"
                 " bne 1b\n"
                 : [s00] "+r"(s00), [s01] "+r"(s01), [s10] "+r"(s10), [s11] "+r"(s11), [w] "+r"(w),
                   [v] "+r"(v), [b] "+r"(b), [a0] "=&r"(a0), [a1] "=&r"(a1), [e] "=&r"(e)
                 : [end] "r"(end)
                 : "r2", "r3", "cc", "memory");
#else
  for (; w != end; w += 4, v += 4, b += 4) {
    const uint32_t a0 = tigris_dsp_load(w);
    const uint32_t a1 = tigris_dsp_load(v);
    s00 = tigris_dsp_mac(tigris_dsp_odd(a0), b[2], tigris_dsp_mac(tigris_dsp_even(a0), b[0], s00));
    s10 = tigris_dsp_mac(tigris_dsp_odd(a0), b[3], tigris_dsp_mac(tigris_dsp_even(a0), b[1], s10));
    s01 = tigris_dsp_mac(tigris_dsp_odd(a1), b[2], tigris_dsp_mac(tigris_dsp_even(a1), b[0], s01));
    s11 = tigris_dsp_mac(tigris_dsp_odd(a1), b[3], tigris_dsp_mac(tigris_dsp_even(a1), b[1], s11));
  }
#endif
  s[0] = s00;
  s[1] = s01;
  s[2] = s10;
  s[3] = s11;
}

#if defined(__ARM_FEATURE_DSP)
/* One step of oneByFour: four values. */
#define GROUP                                                                                      \
  " ldrd r2, r3, [%[b]], #8\n"                                                                     \
  " ldr %[a], [%[w], %[count]]\n"                                                                  \
  " sxtb16 %[e], %[a]\n"                                                                           \
  " sxtb16 %[a], %[a], ror #8\n"                                                                   \
  " smlad %[s1], %[e], r2, %[s1]\n"                                                                \
  " smlad %[s1], %[a], r3, %[s1]\n"                                                                \
  " ldr %[a], [%[w], %[count], lsl #1]\n"                                                          \
  " sxtb16 %[e], %[a]\n"                                                                           \
  " sxtb16 %[a], %[a], ror #8\n"                                                                   \
  " smlad %[s2], %[e], r2, %[s2]\n"                                                                \
  " smlad %[s2], %[a], r3, %[s2]\n"                                                                \
  " ldr %[a], [%[v]], #4\n"                                                                        \
  " sxtb16 %[e], %[a]\n"                                                                           \
  " sxtb16 %[a], %[a], ror #8\n"                                                                   \
  " smlad %[s3], %[e], r2, %[s3]\n"                                                                \
  " smlad %[s3], %[a], r3, %[s3]\n"                                                                \
  " ldr %[a], [%[w]], #4\n"                                                                        \
  " sxtb16 %[e], %[a]\n"                                                                           \
  " sxtb16 %[a], %[a], ror #8\n"                                                                   \
  " smlad %[s0], %[e], r2, %[s0]\n"                                                                \
  " smlad %[s0], %[a], r3, %[s0]\n"
#endif

/* Products of one column with four filters, `groups` (at least one) groups of four values. */
static inline void oneByFour(uint32_t* s, const uint32_t* b, const int8_t* w, uint32_t count,
                             uint32_t groups) {
  uint32_t s0 = s[0];
  uint32_t s1 = s[1];
  uint32_t s2 = s[2];
  uint32_t s3 = s[3];
  const int8_t* v = w + 3 * count;
  const int8_t* const end = w + groups * 4u;
#if defined(__ARM_FEATURE_DSP)
  uint32_t a;
  uint32_t e;
  __asm volatile(" sub %[a], %[end], %[w]\n"
                 " tst %[a], #4\n"
                 " bne 2f\n" /* an odd number of groups */
                 "1:\n" GROUP "2:\n" GROUP " cmp %[w], %[end]\n"
                 " bne 1b\n"
                 : [s0] "+r"(s0), [s1] "+r"(s1), [s2] "+r"(s2), [s3] "+r"(s3), [w] "+r"(w),
                   [v] "+r"(v), [b] "+r"(b), [count] "+r"(count), [a] "=&r"(a), [e] "=&r"(e)
                 : [end] "r"(end)
                 : "r2", "r3", "cc", "memory");
#else
  for (; w != end; w += 4, v += 4, b += 2) {
    uint32_t a = tigris_dsp_load(w);
    s0 = tigris_dsp_mac(tigris_dsp_odd(a), b[1], tigris_dsp_mac(tigris_dsp_even(a), b[0], s0));
    a = tigris_dsp_load(w + count);
    s1 = tigris_dsp_mac(tigris_dsp_odd(a), b[1], tigris_dsp_mac(tigris_dsp_even(a), b[0], s1));
    a = tigris_dsp_load(w + 2 * count);
    s2 = tigris_dsp_mac(tigris_dsp_odd(a), b[1], tigris_dsp_mac(tigris_dsp_even(a), b[0], s2));
    a = tigris_dsp_load(v);
    s3 = tigris_dsp_mac(tigris_dsp_odd(a), b[1], tigris_dsp_mac(tigris_dsp_even(a), b[0], s3));
  }
#endif
  s[0] = s0;
  s[1] = s1;
  s[2] = s2;
  s[3] = s3;
}

/* Requantization outside the fast path: no right shift, or sums whose double does not fit int32. */
__attribute__((noinline)) static int32_t scaleSlowly(uint32_t sum, int32_t multiplier,
                                                     int32_t right) {
  return tigris_requantize((int32_t)sum, multiplier, ~right);
}

/* tigris_requantize with one multiplication, then zero point and bounds. The shift is to the left:
 * ~right. */
static inline int8_t requantize(const tigris_dsp_finish* f, uint32_t sum, int32_t multiplier,
                                int32_t right) {
  const uint32_t twice = sum << 1;
  int32_t v;
  if (right < 0 || (int32_t)(twice ^ sum) < 0) {
    v = scaleSlowly(sum, multiplier, right);
  } else { /* half away from zero: subtract one if negative, then add a half */
    v = tigris_dsp_high((int32_t)twice, multiplier);
    v = (((v + (v >> 31)) >> right) + 1) >> 1;
  }
  v = tigris_dsp_saturate(tigris_add_wrap(v, f->out_zero));
  if (!f->is_open)
    v = tigris_clamp_s32(v, f->lo, f->hi);
  return (int8_t)v;
}

/* Moves to the pairs of the channels after the next `channels`. */
static inline void advance(tigris_dsp_finish* f, uint32_t channels) {
  f->multiplier += channels * f->pair_step;
  f->shift += channels * f->shift_step;
}

static inline int8_t finishOne(const tigris_dsp_finish* f, uint32_t channel, uint32_t sum) {
  return requantize(f, sum, f->multiplier[channel * f->pair_step],
                    ~f->shift[channel * f->shift_step]);
}

/* One channel of two columns, which share the load of its pair. */
static inline void finishTwo(const tigris_dsp_finish* f, uint32_t channel, uint32_t sum0,
                             uint32_t sum1, int8_t* y0, int8_t* y1) {
  const int32_t multiplier = f->multiplier[channel * f->pair_step];
  const int32_t right = ~f->shift[channel * f->shift_step];
  *y0 = requantize(f, sum0, multiplier, right);
  *y1 = requantize(f, sum1, multiplier, right);
}

static uint32_t biasOf(const tigris_dsp_finish* f, uint32_t channel) {
  return f->bias == NULL ? 0 : (uint32_t)f->bias[channel];
}

void tigris_dsp_two_columns(const uint32_t* columns, const int8_t* w, uint32_t count,
                            uint32_t channels, const tigris_dsp_finish* finish, int8_t* y0,
                            int8_t* y1) {
  tigris_dsp_finish own = *finish; /* copied because the stores may alias it */
  const tigris_dsp_finish* f = &own;
  const uint32_t groups = count / 4u;
  uint32_t o;
  for (o = 0; o + 2 <= channels; o += 2, w += 2 * count) {
    const uint32_t* rest = columns + groups * 4u;
    uint32_t s[4];
    uint32_t i;
    s[0] = s[2] = biasOf(f, o);
    s[1] = s[3] = biasOf(f, o + 1);
    if (groups != 0)
      twoByTwo(s, columns, w, count, groups);
    for (i = groups * 4u; i < count; ++i, rest += 2) {
      s[0] += (uint32_t)w[i] * rest[0];
      s[1] += (uint32_t)w[count + i] * rest[0];
      s[2] += (uint32_t)w[i] * rest[1];
      s[3] += (uint32_t)w[count + i] * rest[1];
    }
    finishTwo(f, 0, s[0], s[2], y0++, y1++);
    finishTwo(f, 1, s[1], s[3], y0++, y1++);
    advance(&own, 2);
  }
  if (o < channels) {
    const uint32_t* b = columns;
    uint32_t s0 = biasOf(f, o);
    uint32_t s1 = s0;
    uint32_t i;
    for (i = 0; i < groups * 4u; i += 4, b += 4) {
      const uint32_t a = tigris_dsp_load(w + i);
      s0 = tigris_dsp_mac(tigris_dsp_odd(a), b[2], tigris_dsp_mac(tigris_dsp_even(a), b[0], s0));
      s1 = tigris_dsp_mac(tigris_dsp_odd(a), b[3], tigris_dsp_mac(tigris_dsp_even(a), b[1], s1));
    }
    for (; i < count; ++i, b += 2) {
      s0 += (uint32_t)w[i] * b[0];
      s1 += (uint32_t)w[i] * b[1];
    }
    *y0 = finishOne(f, 0, s0);
    *y1 = finishOne(f, 0, s1);
  }
}

void tigris_dsp_one_column(const uint32_t* column, const int8_t* w, uint32_t count,
                           uint32_t channels, const tigris_dsp_finish* finish, int8_t* y) {
  tigris_dsp_finish own = *finish; /* as above */
  const tigris_dsp_finish* f = &own;
  const uint32_t groups = count / 4u;
  uint32_t o;
  for (o = 0; o + 4 <= channels; o += 4, w += 4 * count) {
    const uint32_t* rest = column + groups * 2u;
    uint32_t s[4];
    uint32_t i;
    s[0] = biasOf(f, o);
    s[1] = biasOf(f, o + 1);
    s[2] = biasOf(f, o + 2);
    s[3] = biasOf(f, o + 3);
    if (groups != 0)
      oneByFour(s, column, w, count, groups);
    for (i = groups * 4u; i < count; ++i, ++rest) {
      s[0] += (uint32_t)w[i] * *rest;
      s[1] += (uint32_t)w[count + i] * *rest;
      s[2] += (uint32_t)w[2 * count + i] * *rest;
      s[3] += (uint32_t)w[3 * count + i] * *rest;
    }
    *y++ = finishOne(f, 0, s[0]);
    *y++ = finishOne(f, 1, s[1]);
    *y++ = finishOne(f, 2, s[2]);
    *y++ = finishOne(f, 3, s[3]);
    advance(&own, 4);
  }
  for (; o < channels; ++o, w += count) {
    const uint32_t* b = column;
    uint32_t s0 = biasOf(f, o);
    uint32_t i;
    for (i = 0; i < groups * 4u; i += 4, b += 2) {
      const uint32_t a = tigris_dsp_load(w + i);
      s0 = tigris_dsp_mac(tigris_dsp_odd(a), b[1], tigris_dsp_mac(tigris_dsp_even(a), b[0], s0));
    }
    for (; i < count; ++i)
      s0 += (uint32_t)w[i] * *b++;
    *y++ = finishOne(f, 0, s0);
    advance(&own, 1);
  }
}

/* Four channels of one tap, with weights widened already. */
static inline void fourTaps(uint32_t* s, const int8_t* x, const uint32_t* w, uint32_t offset) {
  const uint32_t word = tigris_dsp_load(x);
  const uint32_t even = tigris_dsp_add_even(offset, word);
  const uint32_t odd = tigris_dsp_add_odd(offset, word);
  s[0] = tigris_dsp_mac_low(even, w[0], s[0]);
  s[2] = tigris_dsp_mac_high(even, w[0], s[2]);
  s[1] = tigris_dsp_mac_low(odd, w[1], s[1]);
  s[3] = tigris_dsp_mac_high(odd, w[1], s[3]);
}

/* One output pixel of four channels over `rows` x `columns` taps inside the input. */
static inline void fourChannels(uint32_t* s, const tigris_dsp_depthwise* d, const int8_t* x,
                                const uint32_t* w, uint32_t rows, uint32_t columns,
                                uint32_t offset) {
  uint32_t sum[4];
  uint32_t ky;
  sum[0] = s[0];
  sum[1] = s[1];
  sum[2] = s[2];
  sum[3] = s[3];
  for (ky = 0; ky < rows; ++ky) {
    if (columns == 3) {
      fourTaps(sum, x, w, offset);
      fourTaps(sum, x + d->channels, w + 2, offset);
      fourTaps(sum, x + 2 * d->channels, w + 4, offset);
    } else {
      uint32_t kx;
      for (kx = 0; kx < columns; ++kx)
        fourTaps(sum, x + kx * d->channels, w + 2 * kx, offset);
    }
    x += d->in_w * d->channels;
    w += 2 * d->kernel_w;
  }
  s[0] = sum[0];
  s[1] = sum[1];
  s[2] = sum[2];
  s[3] = sum[3];
}

/* The taps [begin, end) of a window starting at `start` that are inside [0, size). */
static void meet(int32_t start, uint32_t size, uint32_t kernel, uint32_t* begin, uint32_t* end) {
  const int32_t left = (int32_t)size - start;
  *begin = start < 0 ? (uint32_t)-start : 0;
  *end = left < (int32_t)kernel ? (left < 0 ? 0 : (uint32_t)left) : kernel;
  if (*end < *begin)
    *end = *begin;
}

/* Channels [first, first + 4) of all pixels. */
static void depthwiseBlock(const tigris_dsp_depthwise* d, const tigris_dsp_finish* f,
                           const int8_t* x, const uint32_t* w, uint32_t first, int8_t* y) {
  const uint32_t offset = (uint32_t)-d->in_zero << 16 | ((uint32_t)-d->in_zero & 0xFFFFu);
  const uint32_t step = f->pair_step;
  const int32_t* const m = f->multiplier + first * step;
  const uint32_t shiftStep = f->shift_step;
  const int8_t* const n = f->shift + first * shiftStep;
  const int32_t multiplier[4] = {m[0], m[step], m[2 * step], m[3 * step]};
  const int32_t right[4] = {~n[0], ~n[shiftStep], ~n[2 * shiftStep], ~n[3 * shiftStep]};
  const uint32_t bias[4] = {biasOf(f, first), biasOf(f, first + 1), biasOf(f, first + 2),
                            biasOf(f, first + 3)};
  uint32_t oy;
  for (oy = 0; oy < d->out_h; ++oy) {
    const int32_t top = (int32_t)(oy * d->stride_h) - d->pad_top;
    uint32_t yBegin;
    uint32_t yEnd;
    uint32_t ox;
    meet(top, d->in_h, d->kernel_h, &yBegin, &yEnd);
    for (ox = 0; ox < d->out_w; ++ox) {
      const int32_t left = (int32_t)(ox * d->stride_w) - d->pad_left;
      uint32_t xBegin;
      uint32_t xEnd;
      uint32_t s[4];
      meet(left, d->in_w, d->kernel_w, &xBegin, &xEnd);
      s[0] = bias[0];
      s[1] = bias[1];
      s[2] = bias[2];
      s[3] = bias[3];
      if (yEnd > yBegin && xEnd > xBegin) {
        const uint32_t row = (uint32_t)(top + (int32_t)yBegin);
        const uint32_t column = (uint32_t)(left + (int32_t)xBegin);
        fourChannels(s, d, x + (row * d->in_w + column) * d->channels,
                     w + 2 * (yBegin * d->kernel_w + xBegin), yEnd - yBegin, xEnd - xBegin, offset);
      }
      y[0] = requantize(f, s[0], multiplier[0], right[0]);
      y[1] = requantize(f, s[1], multiplier[1], right[1]);
      y[2] = requantize(f, s[2], multiplier[2], right[2]);
      y[3] = requantize(f, s[3], multiplier[3], right[3]);
      y += d->channels;
    }
  }
}

/* Widens four channels of one tap to words. */
static inline void widenTap(uint32_t* to, const int8_t* w) {
  const uint32_t word = tigris_dsp_load(w);
  to[0] = tigris_dsp_even(word);
  to[1] = tigris_dsp_odd(word);
}

void tigris_dsp_depthwise_image(const tigris_dsp_depthwise* d, const tigris_dsp_finish* finish,
                                const int8_t* x, const int8_t* w, uint32_t* taps, int8_t* y) {
  const tigris_dsp_finish own = *finish; /* as above */
  const tigris_dsp_finish* f = &own;
  const uint32_t count = d->kernel_h * d->kernel_w;
  const uint32_t channels = d->channels;
  uint32_t first;
  for (first = 0; first < channels; first += 4) {
    const int8_t* from = w + first;
    uint32_t* to = taps;
    uint32_t i;
    for (i = count; i >= 3; i -= 3, from += 3 * channels, to += 6) {
      widenTap(to, from);
      widenTap(to + 2, from + channels);
      widenTap(to + 4, from + 2 * channels);
    }
    for (; i != 0; --i, from += channels, to += 2)
      widenTap(to, from);
    depthwiseBlock(d, f, x + first, taps, first, y + first);
  }
}

#endif
