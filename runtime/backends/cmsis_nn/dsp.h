/* Inner loops for the DSP extension: two int8 columns with two filters, and one column with four.
 * They are faster than CMSIS-NN's.
 *
 * Inputs are widened once to 16 bits in scratch, with their zero point subtracted; weights are
 * widened as they are read. A word then holds the values 0 and 2, or 1 and 3, of a group of four,
 * so that one instruction multiplies and adds two products. Accumulators wrap modulo 2^32 like the
 * reference's. The intrinsics have C equivalents, so that a host can test all of this
 * (TIGRIS_CMSIS_NN_EMULATE_DSP). */
#ifndef TIGRIS_CMSIS_NN_DSP_H
#define TIGRIS_CMSIS_NN_DSP_H

#include <stdint.h>
#include <string.h>

#if defined(__ARM_FEATURE_DSP) && !defined(__ARM_FEATURE_MVE)
#include <arm_acle.h>
#define TIGRIS_CMSIS_NN_OWN_DSP 1
#elif defined(TIGRIS_CMSIS_NN_EMULATE_DSP)
#define TIGRIS_CMSIS_NN_OWN_DSP 1
#endif

#ifdef TIGRIS_CMSIS_NN_OWN_DSP

#if defined(__ARM_FEATURE_DSP)
/* Bytes 0 and 2 of x, sign-extended to the halves of a word. */
static inline uint32_t tigris_dsp_even(uint32_t x) { return (uint32_t)__sxtb16((int8x4_t)x); }
/* The same for bytes 1 and 3. */
static inline uint32_t tigris_dsp_odd(uint32_t x) {
  uint32_t y;
  __asm("sxtb16 %0, %1, ror #8" : "=r"(y) : "r"(x));
  return y;
}
static inline uint32_t tigris_dsp_add_even(uint32_t a, uint32_t x) {
  return (uint32_t)__sxtab16((int16x2_t)a, (int8x4_t)x);
}
static inline uint32_t tigris_dsp_add_odd(uint32_t a, uint32_t x) {
  uint32_t y;
  __asm("sxtab16 %0, %1, %2, ror #8" : "=r"(y) : "r"(a), "r"(x));
  return y;
}
/* sum + low * low + high * high */
static inline uint32_t tigris_dsp_mac(uint32_t a, uint32_t b, uint32_t sum) {
  return (uint32_t)__smlad((int16x2_t)a, (int16x2_t)b, (int32_t)sum);
}
/* sum + low * low, sum + high * high */
static inline uint32_t tigris_dsp_mac_low(uint32_t a, uint32_t b, uint32_t sum) {
  return (uint32_t)__smlabb((int32_t)a, (int32_t)b, (int32_t)sum);
}
static inline uint32_t tigris_dsp_mac_high(uint32_t a, uint32_t b, uint32_t sum) {
  return (uint32_t)__smlatt((int32_t)a, (int32_t)b, (int32_t)sum);
}
/* The upper word of a * b, rounded. */
static inline int32_t tigris_dsp_high(int32_t a, int32_t b) {
  int32_t y;
  __asm("smmulr %0, %1, %2" : "=r"(y) : "r"(a), "r"(b));
  return y;
}
static inline int32_t tigris_dsp_saturate(int32_t v) {
  int32_t y;
  __asm("ssat %0, #8, %1" : "=r"(y) : "r"(v));
  return y;
}
#else
static inline int32_t tigris_dsp_high(int32_t a, int32_t b) {
  return (int32_t)(((int64_t)a * b + (INT64_C(1) << 31)) >> 32);
}
static inline int32_t tigris_dsp_saturate(int32_t v) { return v < -128 ? -128 : v > 127 ? 127 : v; }
static inline uint32_t tigris_dsp_pack(int32_t low, int32_t high) {
  return ((uint32_t)low & 0xFFFFu) | (uint32_t)high << 16;
}
static inline int32_t tigris_dsp_half(uint32_t x) { return (int16_t)(x & 0xFFFFu); }
static inline uint32_t tigris_dsp_even(uint32_t x) {
  return tigris_dsp_pack((int8_t)(x & 0xFFu), (int8_t)(x >> 16 & 0xFFu));
}
static inline uint32_t tigris_dsp_odd(uint32_t x) { return tigris_dsp_even(x >> 8); }
static inline uint32_t tigris_dsp_add_even(uint32_t a, uint32_t x) {
  const uint32_t e = tigris_dsp_even(x);
  return tigris_dsp_pack(tigris_dsp_half(a) + tigris_dsp_half(e),
                         tigris_dsp_half(a >> 16) + tigris_dsp_half(e >> 16));
}
static inline uint32_t tigris_dsp_add_odd(uint32_t a, uint32_t x) {
  return tigris_dsp_add_even(a, x >> 8);
}
static inline uint32_t tigris_dsp_mac_low(uint32_t a, uint32_t b, uint32_t sum) {
  return sum + (uint32_t)(tigris_dsp_half(a) * tigris_dsp_half(b));
}
static inline uint32_t tigris_dsp_mac_high(uint32_t a, uint32_t b, uint32_t sum) {
  return sum + (uint32_t)(tigris_dsp_half(a >> 16) * tigris_dsp_half(b >> 16));
}
static inline uint32_t tigris_dsp_mac(uint32_t a, uint32_t b, uint32_t sum) {
  return tigris_dsp_mac_high(a, b, tigris_dsp_mac_low(a, b, sum));
}
#endif

static inline uint32_t tigris_dsp_load(const int8_t* at) {
  uint32_t word;
  memcpy(&word, at, 4);
  return word;
}

/* Constants that turn an accumulator into an output: requantization as in tigris_requantize, the
 * output's zero point, bounds. */
typedef struct tigris_dsp_finish {
  const int32_t* bias; /* NULL: none */
  const int32_t* multiplier;
  const int8_t* shift;
  uint32_t pair_step; /* 0: one multiplier for all channels */
  uint32_t shift_step;
  int32_t out_zero;
  int32_t lo;
  int32_t hi;
  int is_open; /* the bounds are those of int8, so no clamping is needed */
} tigris_dsp_finish;

/* Words of a column of `count` values: two per group of four, one per value of the remainder. */
static inline uint32_t tigris_dsp_words(uint32_t count) { return count / 4u * 2u + (count & 3u); }

/* Widens a column x[count] minus the zero point to `to`, with words `step` apart: 1 for a single
 * column, 2 for two interleaved columns. */
void tigris_dsp_widen(uint32_t* to, const int8_t* x, uint32_t count, int32_t zero, uint32_t step);

/* Two columns, interleaved in `columns`, times filters [channels][count], to y0 and y1. */
void tigris_dsp_two_columns(const uint32_t* columns, const int8_t* w, uint32_t count,
                            uint32_t channels, const tigris_dsp_finish* finish, int8_t* y0,
                            int8_t* y1);

/* One column, times filters [channels][count], to y. */
void tigris_dsp_one_column(const uint32_t* column, const int8_t* w, uint32_t count,
                           uint32_t channels, const tigris_dsp_finish* finish, int8_t* y);

/* One image of a depthwise convolution: as many outputs as inputs, a multiple of four; no
 * dilation. */
typedef struct tigris_dsp_depthwise {
  uint32_t channels;
  uint32_t in_h;
  uint32_t in_w;
  uint32_t out_h;
  uint32_t out_w;
  uint32_t kernel_h;
  uint32_t kernel_w;
  uint32_t stride_h;
  uint32_t stride_w;
  int32_t pad_top;
  int32_t pad_left;
  int32_t in_zero;
} tigris_dsp_depthwise;

/* `taps` holds two words per tap of the window. */
void tigris_dsp_depthwise_image(const tigris_dsp_depthwise* d, const tigris_dsp_finish* finish,
                                const int8_t* x, const int8_t* w, uint32_t* taps, int8_t* y);

#endif

#endif /* TIGRIS_CMSIS_NN_DSP_H */
