/* Scratch sizes of vendor kernels, computed from shapes alone. The planner on the host and the
 * backend on the device share this header.
 *
 * Plain C99 and C++; no other header and no vendor library. CMSIS-NN: each function returns the
 * bytes that a whole op needs; a tile of the op (fewer rows, columns or channels, less padding)
 * never needs more. Sources: the `*_get_buffer_size` functions of CMSIS-NN, with which the
 * adapters' tests compare these functions, plus what the adapters add. ESP-NN: see below. */
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
  /* words per output channel that pairs of multiplier and shift take: tigris_scratch_pair_words */
  uint32_t pair_words;
} tigris_scratch_shape;

/* Vendors' kernels read one int32 multiplier and shift per output channel. What is not in the plan
 * in this form is copied to scratch: both if there is one pair for several channels, the shift if
 * it has 8 bits. */
static inline uint32_t tigris_scratch_pair_words(int is_per_tensor, int is_wide_shift,
                                                 uint32_t channels) {
  if (is_per_tensor && channels > 1)
    return 2;
  return is_wide_shift ? 0 : 1;
}

/* Whether plans for CMSIS-NN hold wide shifts (TIGRIS_WIDE_SHIFTS). With the DSP extension the
 * adapter's own loops compute most ops; they read both forms. */
static inline int tigris_cmsis_nn_wide_shifts(tigris_cmsis_nn_isa isa) {
  return isa != TIGRIS_CMSIS_NN_DSP;
}

static inline uint32_t tigris_scratch_pairs(const tigris_scratch_shape* s) {
  return 4u * s->pair_words * s->out_channels;
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
                                                     uint32_t out, int is_per_tensor,
                                                     int is_wide_shift) {
  if (isa == TIGRIS_CMSIS_NN_DSP)
    return tigris_scratch_widened(in);
  return isa == TIGRIS_CMSIS_NN_C && is_per_tensor
             ? 0u
             : 4u * out * tigris_scratch_pair_words(is_per_tensor, is_wide_shift, out);
}

static inline uint32_t tigris_cmsis_nn_average_pool_scratch(tigris_cmsis_nn_isa isa,
                                                            uint32_t channels) {
  return isa == TIGRIS_CMSIS_NN_DSP ? 4u * channels : 0u;
}

/* ## ESP-NN on the ESP32-S3
 * Its kernels copy filters, and parts of the image, into scratch, so each call has a need of its
 * own: a strip of few rows or channels takes less than the whole op. Sources, in ESP-NN 1.2.3:
 * esp_nn_get_conv_scratch_size_esp32s3, esp_nn_get_depthwise_conv_scratch_size_esp32s3 and
 * esp_nn_get_softmax_scratch_size_esp32s3, with which the adapter's tests compare these functions,
 * and the code of the kernels where it uses more than those functions return. */

#define TIGRIS_ESP_NN_S3_ALIGN 16u /* of scratch */

/* One call of an int8 convolution. Sizes are those of the call; pads those above and at the left.
 */
typedef struct tigris_esp_nn_shape {
  uint32_t kernel_h;
  uint32_t kernel_w;
  uint32_t in_h;
  uint32_t in_w;
  uint32_t in_channels;
  uint32_t out_h;
  uint32_t out_w;
  uint32_t out_channels;
  uint32_t stride_h;
  uint32_t stride_w;
  uint32_t pad_h;
  uint32_t pad_w;
} tigris_esp_nn_shape;

/* Bytes of the requantization pairs in front of the vendor's scratch, with the words of
 * tigris_scratch_pair_words. */
static inline uint32_t tigris_esp_nn_pairs(uint32_t channels, uint32_t words) {
  return (4u * words * channels + TIGRIS_ESP_NN_S3_ALIGN - 1u) & ~(TIGRIS_ESP_NN_S3_ALIGN - 1u);
}

/* Rows (or columns) that the windows of a call need beyond the input and `pads` before it. */
static inline uint64_t tigris_esp_nn_beyond(uint32_t in, uint32_t out, uint32_t stride,
                                            uint32_t kernel, uint32_t pads) {
  const uint64_t end = (uint64_t)out * stride + kernel - 1u;
  return end > (uint64_t)in + pads ? end - in - pads : 0u;
}

static inline uint64_t tigris_esp_nn_s3_conv_scratch(const tigris_esp_nn_shape* s) {
  const uint64_t margin = 64u;
  const uint64_t image = (uint64_t)s->in_h * s->in_w;
  const uint64_t row = (uint64_t)s->kernel_w * s->in_channels;
  const uint64_t window = row * s->kernel_h;
  const uint64_t right = tigris_esp_nn_beyond(s->in_w, s->out_w, s->stride_w, s->kernel_w, 0);
  const uint64_t bottom = tigris_esp_nn_beyond(s->in_h, s->out_h, s->stride_h, s->kernel_h, 0);
  uint64_t bytes = margin + 4u * (uint64_t)s->out_channels;
  if (s->kernel_h == 1 && s->kernel_w == 1 && s->stride_h == 1 && s->stride_w == 1 &&
      (s->pad_h | s->pad_w) == 0) {
    const uint64_t channels = (s->in_channels + 7u) & ~(uint64_t)7u;
    return margin + channels * s->out_channels + (image < 8u ? 0u : 16u * channels) +
           (s->in_channels % 8u != 0 ? image * channels : 0u);
  }
  if (row < 16u && window >= 16u) { /* gathers windows */
    const uint64_t aligned = (window + 15u) & ~(uint64_t)15u;
    return bytes + 32u + (s->out_channels + 1u) * aligned;
  }
  bytes +=
      (uint64_t)s->kernel_h * s->out_channels *
      (s->kernel_w * ((s->in_channels + 15u) & ~(uint64_t)15u) + ((row + 15u) & ~(uint64_t)15u));
  if ((s->pad_h | s->pad_w) != 0)
    bytes +=
        (s->in_w + 2u * (uint64_t)s->pad_w) * (s->in_h + 2u * (uint64_t)s->pad_h) * s->in_channels;
  if ((right | bottom) != 0)
    bytes += (s->in_w + right) * (s->in_h + bottom) * s->in_channels;
  return bytes;
}

/* A 3x3 depthwise convolution with a multiple of 16 channels. */
static inline uint64_t tigris_esp_nn_s3_depthwise_3x3(const tigris_esp_nn_shape* s) {
  const uint64_t filter = 9u * (uint64_t)s->in_channels;
  const int is_padded = (s->pad_h | s->pad_w) != 0;
  const uint64_t right = tigris_esp_nn_beyond(s->in_w, s->out_w, s->stride_w, 3, 0);
  const uint64_t bottom = tigris_esp_nn_beyond(s->in_h, s->out_h, s->stride_h, 3, 0);
  const uint64_t w = s->in_w + (is_padded ? 2u * (uint64_t)s->pad_w : right);
  const uint64_t h = s->in_h + (is_padded ? 2u * (uint64_t)s->pad_h : bottom);
  const uint64_t image = w * h * s->in_channels;
  if (is_padded && (s->pad_h != 1 || s->pad_w != 1)) {
    /* The kernel also copies the output, which the vendor's function does not count. */
    const uint64_t wide =
        w + tigris_esp_nn_beyond(s->in_w, s->out_w, s->stride_w, 3, 2u * s->pad_w);
    const uint64_t high =
        h + tigris_esp_nn_beyond(s->in_h, s->out_h, s->stride_h, 3, 2u * s->pad_h);
    return filter + 32u + (wide * high + (uint64_t)s->out_w * s->out_h) * s->in_channels;
  }
  if (!is_padded && (right | bottom) == 0)
    return filter + 16u;
  if (is_padded && image > 40u * 1024u) /* row by row */
    return filter + 16u + 3u * w * s->in_channels;
  return filter + 16u + image;
}

static inline uint64_t tigris_esp_nn_s3_depthwise_scratch(const tigris_esp_nn_shape* s) {
  const uint64_t taps = (uint64_t)s->kernel_h * s->kernel_w;
  const uint64_t image = (uint64_t)s->in_h * s->in_w * s->in_channels;
  const uint32_t multiplier = s->out_channels / s->in_channels;
  if (multiplier == 1 && s->in_channels % 8u == 0) {
    const uint64_t filter = taps * s->in_channels;
    if (s->kernel_h != 3 || s->kernel_w != 3) {
      const uint64_t both = 2u * (filter + image);
      return 32u + (both <= 48u * 1024u
                        ? both
                        : 2u * (filter + (uint64_t)s->in_w * s->kernel_h * s->in_channels));
    }
    if (s->in_channels % 16u == 0)
      return tigris_esp_nn_s3_depthwise_3x3(s);
    if (s->in_channels >= 12u) { /* channels are padded to a multiple of 16 */
      const uint64_t channels = (s->in_channels + 15u) & ~(uint64_t)15u;
      const uint64_t w = s->in_w + 2u * (uint64_t)s->pad_w +
                         tigris_esp_nn_beyond(s->in_w, s->out_w, s->stride_w, 3, 0);
      const uint64_t h = s->in_h + 2u * (uint64_t)s->pad_h +
                         tigris_esp_nn_beyond(s->in_h, s->out_h, s->stride_h, 3, 0);
      return 64u + channels * (9u + w * h + (uint64_t)s->out_w * s->out_h);
    }
    return 32u + 2u * (filter + image);
  }
  if (multiplier == 1 && s->in_channels > 3u) { /* channels are padded to a multiple of 8 */
    const uint64_t channels = (s->in_channels + 7u) & ~(uint64_t)7u;
    const uint64_t filter = (2u * taps * channels + 15u) & ~(uint64_t)15u;
    const uint64_t in =
        (filter + 2u * (uint64_t)s->in_h * s->in_w * channels + 15u) & ~(uint64_t)15u;
    const uint64_t out = (in + (uint64_t)s->out_h * s->out_w * channels + 15u) & ~(uint64_t)15u;
    return out + 12u * channels + 16u;
  }
  return multiplier % 4u == 0 ? 32u + 2u * (taps * s->out_channels + image) : 32u;
}

static inline uint64_t tigris_esp_nn_s3_softmax_scratch(uint32_t width) {
  return 4u * (uint64_t)width;
}

#ifdef __cplusplus
}
#endif

#endif /* TIGRIS_SCRATCH_H */
