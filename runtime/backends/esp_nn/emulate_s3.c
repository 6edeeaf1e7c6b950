/* The assembler of ESP-NN for the ESP32-S3 in plain C, for tests on a host. Arguments are those of
 * the assembler; an image is [h][w][channels], a depthwise filter [h][w][channels * multiplier]. */
#include <stdint.h>
#include <string.h>

#include "esp_nn.h"

#include "common_functions.h"

/* The result of one output: requantized, clamped. */
static int8_t finished(int32_t sum, int32_t mult, int32_t shift, int32_t offset, int32_t lo,
                       int32_t hi) {
  sum = esp_nn_multiply_by_quantized_mult(sum, mult, shift) + offset;
  return (int8_t)(sum < lo ? lo : (sum > hi ? hi : sum));
}

/* Sums wrap, as those of the processor do. */
static int32_t added(int32_t sum, int32_t product) {
  return (int32_t)((uint32_t)sum + (uint32_t)product);
}

int32_t esp_nn_dot_s8_aligned_esp32s3(const int8_t* a, const int8_t* b, int32_t count) {
  int32_t sum = 0;
  int32_t i;
  for (i = 0; i < count; ++i)
    sum += a[i] * b[i];
  return sum;
}

/* The image is already padded; rows of a filter take a multiple of 16 bytes. Clobbers one word of
 * scratch per output channel, as the assembler does. */
void esp_nn_conv_s8_filter_aligned_input_padded_esp32s3(
    const int8_t* in, const uint16_t w, const uint16_t h, const uint16_t channels,
    const int32_t inOffset, const uint16_t strideW, const uint16_t strideH, const int8_t* filter,
    const uint16_t kernelW, const uint16_t kernelH, const int32_t* bias, int8_t* out,
    const uint16_t outW, const uint16_t outH, const uint16_t outChannels, const int32_t outOffset,
    const int32_t* shift, const int32_t* mult, const int32_t lo, const int32_t hi, void* scratch) {
  const int32_t row = kernelW * channels;
  const int32_t pitch = (row + 15) / 16 * 16;
  int32_t x, y, o, k, i;
  (void)h;
  if (inOffset != 0)
    memset(scratch, 0x5A, 4u * outChannels);
  for (y = 0; y < outH; ++y) {
    for (x = 0; x < outW; ++x) {
      for (o = 0; o < outChannels; ++o) {
        int32_t sum = bias != NULL ? bias[o] : 0;
        for (k = 0; k < kernelH; ++k) {
          const int8_t* pixels = in + ((y * strideH + k) * w + x * strideW) * channels;
          const int8_t* taps = filter + (o * kernelH + k) * pitch;
          for (i = 0; i < row; ++i)
            sum = added(sum, (pixels[i] + inOffset) * taps[i]);
        }
        *out++ = finished(sum, mult[o], shift[o], outOffset, lo, hi);
      }
    }
  }
}

void esp_nn_conv_s8_1x1(const int8_t* in, const uint16_t w, const uint16_t h,
                        const uint16_t channels, const int32_t inOffset, const int8_t* filter,
                        const int32_t* bias, int8_t* out, const uint16_t outChannels,
                        const int32_t outOffset, const int32_t* shift, const int32_t* mult,
                        const int32_t lo, const int32_t hi, void* scratch) {
  int32_t pixel, o, i;
  if (w * h >= 8) /* transposes eight pixels at a time */
    memset((void*)(((uintptr_t)scratch + 15u) & ~(uintptr_t)15u), 0x5A, channels / 8u * 128u);
  for (pixel = 0; pixel < w * h; ++pixel, in += channels) {
    for (o = 0; o < outChannels; ++o) {
      int32_t sum = bias != NULL ? bias[o] : 0;
      for (i = 0; i < channels; ++i)
        sum = added(sum, (in[i] + inOffset) * filter[o * channels + i]);
      *out++ = finished(sum, mult[o], shift[o], outOffset, lo, hi);
    }
  }
}

void esp_nn_conv_s8_mult8_1x1_esp32s3(const int8_t* in, const uint16_t w, const uint16_t h,
                                      const uint16_t channels, const int32_t inOffset,
                                      const int8_t* filter, const int32_t* bias, int8_t* out,
                                      const uint16_t outW, const uint16_t outH,
                                      const uint16_t outChannels, const int32_t outOffset,
                                      const int32_t* shift, const int32_t* mult, const int32_t lo,
                                      const int32_t hi, void* scratch) {
  (void)outW;
  (void)outH;
  esp_nn_conv_s8_1x1(in, w, h, channels, inOffset, filter, bias, out, outChannels, outOffset, shift,
                     mult, lo, hi, scratch);
}

/* All depthwise kernels on 16 bits; the offset has been added to the image. */
static void depthwise(const int16_t* in, int32_t w, int32_t h, int32_t channels, int32_t padW,
                      int32_t padH, int32_t strideW, int32_t strideH, int32_t multiplier,
                      const int16_t* filter, int32_t kernelW, int32_t kernelH, const int32_t* bias,
                      int8_t* out, int32_t outW, int32_t outH, int32_t outOffset,
                      const int32_t* shift, const int32_t* mult, int32_t lo, int32_t hi) {
  const int32_t outChannels = channels * multiplier;
  int32_t x, y, o, ky, kx;
  for (y = 0; y < outH; ++y) {
    for (x = 0; x < outW; ++x) {
      for (o = 0; o < outChannels; ++o) {
        int32_t sum = bias != NULL ? bias[o] : 0;
        for (ky = 0; ky < kernelH; ++ky) {
          const int32_t iy = y * strideH - padH + ky;
          for (kx = 0; kx < kernelW && iy >= 0 && iy < h; ++kx) {
            const int32_t ix = x * strideW - padW + kx;
            if (ix >= 0 && ix < w)
              sum = added(sum, in[(iy * w + ix) * channels + o / multiplier] *
                                   filter[(ky * kernelW + kx) * outChannels + o]);
          }
        }
        *out++ = finished(sum, mult[o], shift[o], outOffset, lo, hi);
      }
    }
  }
}

#define WIDE_IMAGE                                                                                 \
  const int16_t *in, const uint16_t w, const uint16_t h, const uint16_t channels,                  \
      const uint16_t padW, const uint16_t padH, const uint16_t strideW, const uint16_t strideH
#define RESULT                                                                                     \
  const int32_t *bias, int8_t *out, const uint16_t outW, const uint16_t outH,                      \
      const int32_t outOffset, const int32_t *shift, const int32_t *mult, const int32_t lo,        \
      const int32_t hi
#define DEPTHWISE(multiplier, kernelW, kernelH)                                                    \
  depthwise(in, w, h, channels, padW, padH, strideW, strideH, multiplier, filter, kernelW,         \
            kernelH, bias, out, outW, outH, outOffset, shift, mult, lo, hi)

void esp_nn_depthwise_conv_s16_mult1_3x3_esp32s3(WIDE_IMAGE, const int16_t* filter, RESULT) {
  DEPTHWISE(1, 3, 3);
}

void esp_nn_depthwise_conv_s16_mult1_esp32s3(WIDE_IMAGE, const int16_t* filter,
                                             const uint16_t kernelW, const uint16_t kernelH,
                                             RESULT) {
  DEPTHWISE(1, kernelW, kernelH);
}

void esp_nn_depthwise_conv_s16_mult8_3x3_esp32s3(WIDE_IMAGE, const uint16_t multiplier,
                                                 const int16_t* filter, RESULT) {
  DEPTHWISE(multiplier, 3, 3);
}

void esp_nn_depthwise_conv_s16_mult8_esp32s3(WIDE_IMAGE, const uint16_t multiplier,
                                             const int16_t* filter, const uint16_t kernelW,
                                             const uint16_t kernelH, RESULT) {
  DEPTHWISE(multiplier, kernelW, kernelH);
}

void esp_nn_depthwise_conv_s16_mult4_esp32s3(WIDE_IMAGE, const uint16_t multiplier,
                                             const int16_t* filter, const uint16_t kernelW,
                                             const uint16_t kernelH, RESULT) {
  DEPTHWISE(multiplier, kernelW, kernelH);
}

/* The image is already padded. */
void esp_nn_depthwise_conv_s8_mult1_3x3_padded_esp32s3(const int8_t* in, const uint16_t w,
                                                       const uint16_t h, const uint16_t channels,
                                                       const int32_t inOffset,
                                                       const uint16_t strideW,
                                                       const uint16_t strideH, const int8_t* filter,
                                                       RESULT) {
  int32_t x, y, o, ky, kx;
  (void)h;
  for (y = 0; y < outH; ++y) {
    for (x = 0; x < outW; ++x) {
      for (o = 0; o < channels; ++o) {
        int32_t sum = bias != NULL ? bias[o] : 0;
        for (ky = 0; ky < 3; ++ky) {
          for (kx = 0; kx < 3; ++kx)
            sum = added(
                sum, (in[((y * strideH + ky) * w + x * strideW + kx) * channels + o] + inOffset) *
                         filter[(ky * 3 + kx) * channels + o]);
        }
        *out++ = finished(sum, mult[o], shift[o], outOffset, lo, hi);
      }
    }
  }
}

void esp_nn_s8_to_s16_esp32s3(const int8_t* from, int16_t* to, const int count) {
  int i;
  for (i = 0; i < count; ++i)
    to[i] = from[i];
}

void esp_nn_aligned_s8_to_s16_with_offset_esp32s3(const int8_t* from, int16_t* to, const int count,
                                                  const int32_t offset) {
  int i;
  for (i = 0; i < count; ++i)
    to[i] = (int16_t)(from[i] + offset);
}

/* ---- kernels without scratch: the C versions */

void esp_nn_depthwise_conv_s8_opt(const data_dims_t* in, const int8_t* x, const data_dims_t* filter,
                                  const int8_t* w, const int32_t* bias, const data_dims_t* out,
                                  int8_t* y, const dw_conv_params_t* p, const quant_data_t* q) {
  esp_nn_depthwise_conv_s8_ansi(in, x, filter, w, bias, out, y, p, q);
}

void esp_nn_add_elementwise_s8_esp32s3(const int8_t* a, const int8_t* b, const int32_t aOffset,
                                       const int32_t bOffset, const int32_t aMult,
                                       const int32_t bMult, const int32_t aShift,
                                       const int32_t bShift, const int32_t leftShift, int8_t* y,
                                       const int32_t offset, const int32_t mult,
                                       const int32_t shift, const int32_t lo, const int32_t hi,
                                       const int32_t count) {
  esp_nn_add_elementwise_s8_ansi(a, b, aOffset, bOffset, aMult, bMult, aShift, bShift, leftShift, y,
                                 offset, mult, shift, lo, hi, count);
}

void esp_nn_mul_elementwise_s8_esp32s3(const int8_t* a, const int8_t* b, const int32_t aOffset,
                                       const int32_t bOffset, int8_t* y, const int32_t offset,
                                       const int32_t mult, const int32_t shift, const int32_t lo,
                                       const int32_t hi, const int32_t count) {
  esp_nn_mul_elementwise_s8_ansi(a, b, aOffset, bOffset, y, offset, mult, shift, lo, hi, count);
}

#define POOL                                                                                       \
  const int8_t *x, const uint16_t inW, const uint16_t inH, int8_t *y, const uint16_t outW,         \
      const uint16_t outH, const uint16_t strideW, const uint16_t strideH, const uint16_t kernelW, \
      const uint16_t kernelH, const uint16_t padW, const uint16_t padH, const int32_t lo,          \
      const int32_t hi, const uint16_t channels

void esp_nn_max_pool_s8_esp32s3(POOL) {
  esp_nn_max_pool_s8_ansi(x, inW, inH, y, outW, outH, strideW, strideH, kernelW, kernelH, padW,
                          padH, lo, hi, channels);
}

void esp_nn_avg_pool_s8_esp32s3(POOL) {
  esp_nn_avg_pool_s8_ansi(x, inW, inH, y, outW, outH, strideW, strideH, kernelW, kernelH, padW,
                          padH, lo, hi, channels);
}

#define DENSE                                                                                      \
  const int8_t *x, const int32_t inOffset, const uint16_t rowLength, const int8_t *w,              \
      const int32_t filterOffset, const int32_t *bias, int8_t *y, const uint16_t outChannels,      \
      const int32_t offset

void esp_nn_fully_connected_s8_esp32s3(DENSE, const int32_t shift, const int32_t mult,
                                       const int32_t lo, const int32_t hi) {
  esp_nn_fully_connected_s8_ansi(x, inOffset, rowLength, w, filterOffset, bias, y, outChannels,
                                 offset, shift, mult, lo, hi);
}

void esp_nn_fully_connected_per_ch_s8_esp32s3(DENSE, const int32_t* shift, const int32_t* mult,
                                              const int32_t lo, const int32_t hi) {
  esp_nn_fully_connected_per_ch_s8_ansi(x, inOffset, rowLength, w, filterOffset, bias, y,
                                        outChannels, offset, shift, mult, lo, hi);
}
