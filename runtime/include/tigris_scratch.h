/* Scratch sizes of vendor kernels, computed from shapes alone. The planner on the host and the
 * backend on the device share this header.
 *
 * Plain C99 and C++; no other header and no vendor library. Each function returns the bytes that a
 * whole op needs. A tile of the op (fewer rows, columns or channels, less padding) never needs
 * more. Sources: the `*_get_buffer_size` functions of CMSIS-NN, with which the adapters' tests
 * compare these functions, plus what the adapters add. */
#ifndef TIGRIS_SCRATCH_H
#define TIGRIS_SCRATCH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The three variants of CMSIS-NN: plain C (Cortex-M0+, M3, a host), with the DSP extension (M4, M7,
 * M33), with Helium (M55, M85). */
typedef enum tigris_cmsis_nn_isa {
  TIGRIS_CMSIS_NN_C = 0,
  TIGRIS_CMSIS_NN_DSP = 1,
  TIGRIS_CMSIS_NN_MVE = 2
} tigris_cmsis_nn_isa;

/* An int8 convolution, depthwise convolution, dense layer or pool. */
typedef struct tigris_scratch_shape {
  uint32_t kernel_h; /* 1 for dense layers */
  uint32_t kernel_w;
  uint32_t in_channels;
  uint32_t out_channels;
  int is_padded; /* any padding */
  int is_wide;   /* a dilation above 1 */
  int is_near;   /* no padding above 1 */
  int has_bias;
  int is_per_tensor; /* one requantization pair for all output channels */
} tigris_scratch_shape;

/* Bytes of the requantization pairs, repeated per channel if there is only one: CMSIS-NN requires
 * one per channel. */
static inline uint32_t tigris_scratch_pairs(const tigris_scratch_shape* s) {
  return s->is_per_tensor && s->out_channels > 1 ? 8u * s->out_channels : 0u;
}

/* Bytes of the biases with the input's zero point folded in, plus one more: outputs are computed in
 * pairs. */
static inline uint32_t tigris_scratch_folded(uint32_t outputs) { return 4u * (outputs + 1u); }

/* Bytes of a column of values widened to 16 bits; the remainder of groups of four takes 32 bits per
 * value. */
static inline uint32_t tigris_scratch_widened(uint32_t values) {
  return 4u * (values / 4u * 2u + values % 4u);
}

static inline uint32_t tigris_cmsis_nn_conv_scratch(tigris_cmsis_nn_isa isa,
                                                    const tigris_scratch_shape* s) {
  const uint32_t columns = s->kernel_h * s->kernel_w * s->in_channels;
  const uint32_t gathered =
      s->kernel_h * s->kernel_w == 1 && !s->is_padded ? 0u : (columns + 3u) / 4u * 4u;
  if (isa == TIGRIS_CMSIS_NN_DSP) /* two widened columns and one gathered column */
    return 2u * tigris_scratch_widened(columns) + gathered;
  /* a bias with the zero point folded in, and three columns */
  if (isa == TIGRIS_CMSIS_NN_MVE)
    return tigris_scratch_pairs(s) + tigris_scratch_folded(s->out_channels) + 3u * gathered;
  return tigris_scratch_pairs(s) + 4u * gathered;
}

/* Whether CMSIS-NN's special case for 3x3 windows computes a depthwise convolution with one output
 * channel per input channel. */
static inline int tigris_cmsis_nn_depthwise_3x3(tigris_cmsis_nn_isa isa,
                                                const tigris_scratch_shape* s) {
  return isa != TIGRIS_CMSIS_NN_MVE && s->kernel_h == 3 && s->kernel_w == 3 && s->is_near;
}

/* Whether the adapter's own loops, not CMSIS-NN, compute a depthwise convolution. */
static inline int tigris_cmsis_nn_depthwise_own(tigris_cmsis_nn_isa isa,
                                                const tigris_scratch_shape* s) {
  return isa == TIGRIS_CMSIS_NN_DSP && s->in_channels == s->out_channels && !s->is_wide &&
         s->in_channels % 4u == 0;
}

static inline uint32_t tigris_cmsis_nn_depthwise_scratch(tigris_cmsis_nn_isa isa,
                                                         const tigris_scratch_shape* s) {
  const uint32_t taps = s->kernel_h * s->kernel_w;
  uint32_t bytes = tigris_scratch_pairs(s);
  if (tigris_cmsis_nn_depthwise_own(isa, s))
    return 8u * taps;
  if (s->in_channels != s->out_channels || s->is_wide || tigris_cmsis_nn_depthwise_3x3(isa, s))
    return bytes;
  if (isa ==
      /* blocks of 124 channels, and a bias of zeros if there is none */
      TIGRIS_CMSIS_NN_MVE)
    return bytes + 4u * 124u * taps + (s->has_bias ? 0u : 4u * s->out_channels);
  return isa == TIGRIS_CMSIS_NN_DSP ? bytes + 2u * taps * s->in_channels : bytes;
}

/* Scratch of a dense layer with `in` inputs and `out` outputs. */
static inline uint32_t tigris_cmsis_nn_dense_scratch(tigris_cmsis_nn_isa isa, uint32_t in,
                                                     uint32_t out, int is_per_tensor) {
  if (isa == TIGRIS_CMSIS_NN_DSP)
    return tigris_scratch_widened(in);
  return isa == TIGRIS_CMSIS_NN_MVE && is_per_tensor && out > 1 ? 8u * out : 0u;
}

static inline uint32_t tigris_cmsis_nn_average_pool_scratch(tigris_cmsis_nn_isa isa,
                                                            uint32_t channels) {
  return isa == TIGRIS_CMSIS_NN_DSP ? 4u * channels : 0u;
}

#ifdef __cplusplus
}
#endif

#endif /* TIGRIS_SCRATCH_H */
