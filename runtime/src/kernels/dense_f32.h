/* The inner block of all float convolutions and products: one input run times a block of output
 * channels.
 *
 * The output channel is the innermost axis of the weights. The accumulators of a block are
 * therefore independent, and a compiler vectorizes over them without changing the order of any
 * sum. */
#ifndef TIGRIS_DENSE_F32_H
#define TIGRIS_DENSE_F32_H

#include <stdint.h>

#include "tigris_format.h"

/* Output channels held in registers: four 128-bit vectors, or half a Cortex-M register file. */
#define TIGRIS_BLOCK_F32 16

/* sum[c] += x[i] * w[i * stride + c] for i < count (ascending), c < n. */
static inline void tigris_mac_f32(float* sum, uint32_t n, const float* x, uint32_t count,
                                  const float* w, uint32_t stride) {
  uint32_t i;
  uint32_t c;
  if (n == TIGRIS_BLOCK_F32) {
    float acc[TIGRIS_BLOCK_F32];
    for (c = 0; c < TIGRIS_BLOCK_F32; ++c)
      acc[c] = sum[c];
    for (i = 0; i < count; ++i) {
      const float v = x[i];
      for (c = 0; c < TIGRIS_BLOCK_F32; ++c)
        acc[c] += v * w[c];
      w += stride;
    }
    for (c = 0; c < TIGRIS_BLOCK_F32; ++c)
      sum[c] = acc[c];
  } else if (n == 8) {
    float acc[8];
    for (c = 0; c < 8; ++c)
      acc[c] = sum[c];
    for (i = 0; i < count; ++i) {
      const float v = x[i];
      for (c = 0; c < 8; ++c)
        acc[c] += v * w[c];
      w += stride;
    }
    for (c = 0; c < 8; ++c)
      sum[c] = acc[c];
  } else {
    for (i = 0; i < count; ++i) {
      const float v = x[i];
      for (c = 0; c < n; ++c)
        sum[c] += v * w[c];
      w += stride;
    }
  }
}

/* Size of the next block when `left` output channels remain: 16, 8, or the rest below 8. */
static inline uint32_t tigris_block_f32(uint32_t left) {
  if (left >= TIGRIS_BLOCK_F32)
    return TIGRIS_BLOCK_F32;
  return left >= 8 ? 8 : left;
}

/* sum[c] = bias[c], or 0 without bias. */
static inline void tigris_bias_f32(float* sum, uint32_t n, const float* bias) {
  uint32_t c;
  for (c = 0; c < n; ++c)
    sum[c] = bias == NULL ? 0.0f : bias[c];
}

static inline float tigris_clamp1_f32(float v, float lo, float hi) {
  return v < lo ? lo : (v > hi ? hi : v);
}

static inline void tigris_store_f32(float* y, const float* sum, uint32_t n, float lo, float hi) {
  uint32_t c;
  for (c = 0; c < n; ++c)
    y[c] = tigris_clamp1_f32(sum[c], lo, hi);
}

/* y[n] = clamp(bias + x[k] * w[k, n]); w[k + 1] is `step` weights after w[k]. */
static inline void tigris_line_f32(float* y, const float* x, const float* w, const float* bias,
                                   uint32_t k, uint32_t n, uint32_t step, float lo, float hi) {
  uint32_t o;
  uint32_t block;
  for (o = 0; o < n; o += block) {
    float sum[TIGRIS_BLOCK_F32];
    block = tigris_block_f32(n - o);
    tigris_bias_f32(sum, block, bias == NULL ? NULL : bias + o);
    tigris_mac_f32(sum, block, x, k, w + o, step);
    tigris_store_f32(y + o, sum, block, lo, hi);
  }
}

#endif /* TIGRIS_DENSE_F32_H */
