/* int8 depthwise convolution with one output channel per input channel: vectors of channels, four
 * pixels at a time. */
#include "kernels/kernels.h"
#include "requant_s8.h"

#define MAX_ROWS 32
#define MAX_TAPS 64
#define PIXELS 4
/* Only AVX-512 can load partial vectors. */
#if defined(__AVX512VNNI__)
#define MIN_CHANNELS 1
#else
#define MIN_CHANNELS HOST_BLOCK
#endif

typedef struct DepthwiseS8 {
  const int8_t* rows[MAX_ROWS]; /* input rows of the kernel rows inside the input */
  uint32_t rowCount;
  uint32_t columns;
  size_t columnStep; /* input bytes from tap to tap */
  size_t pixelStep;  /* input bytes from pixel to pixel */
  uint32_t kernelW;
  int32_t zero;
  uint32_t channels; /* of the current block */
  Sums weights[MAX_TAPS][2];
  Requant requant;
} DepthwiseS8;

/* Channels [first, first + HOST_LANES) of a pixel's block at x; 0 beyond the block. */
static inline Sums load(const DepthwiseS8* k, const int8_t* x, uint32_t first) {
#if defined(__AVX512VNNI__)
  const uint32_t left = k->channels > first ? k->channels - first : 0;
  const __mmask16 mask = (__mmask16)(left >= HOST_LANES ? 0xFFFF : (1u << left) - 1u);
  return (Sums)_mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(mask, (const void*)(x + first)));
#else
  (void)k;
  return widen(x + first);
#endif
}

/* Both factors fit 16 bits. The upper halves of the weights are 0, so the product of the lower
 * halves is exact. */
static inline Sums multiplyAdd(Sums sum, Sums x, Sums w) {
#if defined(__AVX512VNNI__)
  return (Sums)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)x, (__m512i)w);
#elif defined(__AVX2__)
  return sum + (Sums)_mm256_madd_epi16((__m256i)x, (__m256i)w);
#else
  return sum + x * w;
#endif
}

static inline __attribute__((always_inline)) void
tile(const DepthwiseS8* k, size_t at, uint32_t firstTap, int pixels, Sums (*out)[2]) {
  Sums sum[PIXELS][2];
  uint32_t r;
  uint32_t c;
  int p;
  UNROLL
  for (p = 0; p < pixels; ++p)
    sum[p][0] = sum[p][1] = (Sums){0};
  for (r = 0; r < k->rowCount; ++r) {
    for (c = 0; c < k->columns; ++c) {
      const int8_t* x = k->rows[r] + at + c * k->columnStep;
      const Sums* w = k->weights[firstTap + r * k->kernelW + c];
      UNROLL
      for (p = 0; p < pixels; ++p) {
        const int8_t* xp = x + (size_t)p * k->pixelStep;
        sum[p][0] = multiplyAdd(sum[p][0], load(k, xp, 0) - k->zero, w[0]);
        sum[p][1] = multiplyAdd(sum[p][1], load(k, xp, HOST_LANES) - k->zero, w[1]);
      }
    }
  }
  UNROLL
  for (p = 0; p < pixels; ++p) {
    out[p][0] = sum[p][0];
    out[p][1] = sum[p][1];
  }
}

/* Pixels with the same taps; y points to the block's first channel of the first pixel. */
static void run(const DepthwiseS8* k, size_t at, uint32_t firstTap, uint32_t pixels, int8_t* y,
                size_t step) {
  Sums sum[PIXELS][2];
  uint32_t done = 0;
  while (done < pixels) {
    const uint32_t n = pixels - done < PIXELS ? pixels - done : PIXELS;
    const size_t from = at + done * k->pixelStep;
    uint32_t p;
    switch (n) {
    case 1:
      tile(k, from, firstTap, 1, sum);
      break;
    case 2:
      tile(k, from, firstTap, 2, sum);
      break;
    case 3:
      tile(k, from, firstTap, 3, sum);
      break;
    default:
      tile(k, from, firstTap, PIXELS, sum);
      break;
    }
    for (p = 0; p < n; ++p)
      requantStore(&k->requant, sum[p], 0, k->channels, y + (done + p) * step);
    done += n;
  }
}

static void loadWeights(DepthwiseS8* k, const int8_t* w, uint32_t taps, uint32_t step) {
  uint32_t t;
  uint32_t c;
  for (t = 0; t < taps; ++t, w += step) {
    int32_t lanes[HOST_BLOCK];
    for (c = 0; c < HOST_BLOCK; ++c) {
      lanes[c] = c < k->channels ? w[c] : 0;
#if defined(__AVX2__)
      lanes[c] &= 0xFFFF;
#endif
    }
    memcpy(k->weights[t], lanes, sizeof lanes);
  }
}

tigris_status TIGRIS_HOST_NAME(tigris_host_depthwise_conv_s8)(const tigris_call* call) {
  const tigris_view* out = &call->out[0];
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  const tigris_shape4 in = tigris_view_shape(&call->in[0]);
  const tigris_shape4 so = tigris_view_shape(out);
  const uint32_t channels = (uint32_t)so.c;
  const tigris_dense_s8 dense = tigris_dense_of(call, p->channel, p->lo.i, p->hi.i);
  DepthwiseS8 k;
  uint32_t o;
  uint32_t r;
  if (in.c == 1)
    return TIGRIS_HOST_NAME(tigris_host_conv_s8)(call);
  if (p->kernel_h > MAX_ROWS || p->kernel_w > MAX_TAPS || p->kernel_h * p->kernel_w > MAX_TAPS ||
      in.c != so.c || channels < MIN_CHANNELS || dense.zeros != NULL ||
      !multipliersOk(&dense, channels))
    return tigris_depthwise_conv_s8(call);
  k.columnStep = (size_t)(uint32_t)p->dilation_w * (uint32_t)in.c;
  k.pixelStep = (size_t)(uint32_t)p->stride_w * (uint32_t)in.c;
  k.kernelW = (uint32_t)p->kernel_w;
  k.zero = dense.in_zero;
  for (o = 0; o < channels; o += HOST_BLOCK) {
    if (channels - o < HOST_BLOCK && channels >= HOST_BLOCK)
      o = channels - HOST_BLOCK; /* overlaps the previous block */
    k.channels = channels - o < HOST_BLOCK ? channels - o : HOST_BLOCK;
    requantInit(&k.requant, &dense, o, k.channels);
    loadWeights(&k, (const int8_t*)(const void*)call->in[1].data + o,
                (uint32_t)(p->kernel_h * p->kernel_w), tigris_weight_row(call));
    for (r = out->first; r < out->first + out->rows; ++r) {
      const uint32_t batchRow = r / (uint32_t)so.h * (uint32_t)in.h;
      const tigris_window wy = tigris_window_at((int32_t)(r % (uint32_t)so.h), p->stride_h,
                                                p->pad_top, p->dilation_h, p->kernel_h, in.h);
      int8_t* y = (int8_t*)(void*)tigris_row(out, r) + o;
      int32_t ky;
      int32_t x;
      int32_t n;
      k.rowCount = 0;
      for (ky = wy.begin; ky < wy.end; ++ky)
        k.rows[k.rowCount++] =
            tigris_row_s8(&call->in[0], batchRow + (uint32_t)(wy.start + ky * p->dilation_h));
      for (x = 0; x < so.w; x += n) {
        const tigris_window wx =
            tigris_window_at(x, p->stride_w, p->pad_left, p->dilation_w, p->kernel_w, in.w);
        const int isEmpty = wx.begin >= wx.end || wy.begin >= wy.end;
        const int32_t first = isEmpty ? 0 : wx.start + wx.begin * p->dilation_w;
        n = tigris_host_alike(x, so.w, &wx, p, in.w);
        k.columns = isEmpty ? 0 : (uint32_t)(wx.end - wx.begin);
        run(&k, (size_t)(uint32_t)first * (uint32_t)in.c + o,
            isEmpty ? 0 : (uint32_t)(wy.begin * p->kernel_w + wx.begin), (uint32_t)n,
            y + (size_t)(uint32_t)x * channels, channels);
      }
    }
  }
  return TIGRIS_OK;
}
