/* int8 depthwise convolution with any channel multiplier; weights [KH, KW, O]. */
#include <string.h>

#include "dense_s8.h"
#include "kernels.h"
#include "window.h"

/* Channels whose sums are held at once. */
#define BLOCK 64

typedef struct DepthwiseS8 {
  const tigris_call* call;
  const tigris_conv_params* p;
  tigris_dense_s8 dense;
  tigris_shape4 in;
  tigris_shape4 out;
  uint32_t multiplier;
  uint32_t step; /* distance between taps: all channels of the whole tensor */
} DepthwiseS8;

/* The window over one output pixel. */
typedef struct PixelDepthwiseS8 {
  uint32_t batchRow;
  tigris_window wy;
  tigris_window wx;
} PixelDepthwiseS8;

/* The input pixel and the weights of the first tap of a kernel row, each with all channels. */
static const int8_t* inputAt(const DepthwiseS8* k, const PixelDepthwiseS8* at, int32_t ky) {
  const int8_t* row = tigris_row_s8(
      &k->call->in[0], at->batchRow + (uint32_t)(at->wy.start + ky * k->p->dilation_h));
  const int32_t x = at->wx.start + at->wx.begin * k->p->dilation_w;
  return row + (size_t)(uint32_t)x * (uint32_t)k->in.c;
}

static const int8_t* weightsAt(const DepthwiseS8* k, const PixelDepthwiseS8* at, int32_t ky) {
  const int8_t* weights = (const int8_t*)(const void*)k->call->in[1].data;
  return weights + (size_t)(uint32_t)(ky * k->p->kernel_w + at->wx.begin) * k->step;
}

/* Output channels o .. o + n - 1, each with its own input channel and without weight zero points.
 * The factors fit int16, so that compilers vectorize over the channels. Three taps per pass load
 * and store the sums a third as often. */
static void block(const DepthwiseS8* k, const PixelDepthwiseS8* at, uint32_t o, uint32_t n,
                  int8_t* y) {
  const size_t xStep = (size_t)(uint32_t)k->p->dilation_w * (uint32_t)k->in.c;
  const size_t wStep = k->step;
  const int32_t zero = k->dense.in_zero;
  const int32_t width = at->wx.end - at->wx.begin;
  uint32_t sum[BLOCK];
  uint32_t c;
  int32_t ky;
  memset(sum, 0, n * sizeof sum[0]);
  for (ky = at->wy.begin; width > 0 && ky < at->wy.end; ++ky) {
    const int8_t* x = inputAt(k, at, ky) + o;
    const int8_t* w = weightsAt(k, at, ky) + o;
    int32_t taps = width;
    for (; taps >= 3; taps -= 3, x += 3 * xStep, w += 3 * wStep) {
      const int8_t* x1 = x + xStep;
      const int8_t* x2 = x1 + xStep;
      const int8_t* w1 = w + wStep;
      const int8_t* w2 = w1 + wStep;
      for (c = 0; c < n; ++c)
        sum[c] += (uint32_t)((int16_t)(x[c] - zero) * (int16_t)w[c] +
                             (int16_t)(x1[c] - zero) * (int16_t)w1[c] +
                             (int16_t)(x2[c] - zero) * (int16_t)w2[c]);
    }
    for (; taps > 0; --taps, x += xStep, w += wStep) {
      for (c = 0; c < n; ++c)
        sum[c] += (uint32_t)((int16_t)(x[c] - zero) * (int16_t)w[c]);
    }
  }
  tigris_finish_run_s8(&k->dense, sum, 0, o, n, y);
}

/* Output channels o .. o + n - 1, which share one input channel. */
static void shared(const DepthwiseS8* k, const PixelDepthwiseS8* at, uint32_t o, uint32_t n,
                   int8_t* y) {
  const size_t xStep = (size_t)(uint32_t)k->p->dilation_w * (uint32_t)k->in.c;
  const int32_t width = at->wx.end - at->wx.begin;
  uint32_t sum[BLOCK];
  uint32_t inputSum = 0;
  int32_t ky;
  memset(sum, 0, n * sizeof sum[0]);
  for (ky = at->wy.begin; width > 0 && ky < at->wy.end; ++ky) {
    const int8_t* x = inputAt(k, at, ky) + o / k->multiplier;
    const int8_t* w = weightsAt(k, at, ky) + o;
    int32_t taps;
    for (taps = width; taps > 0; --taps, x += xStep, w += k->step) {
      const int32_t v = *x - k->dense.in_zero;
      uint32_t c;
      for (c = 0; c < n; ++c)
        sum[c] += (uint32_t)((int16_t)v * (int16_t)w[c]);
      inputSum += (uint32_t)v;
    }
  }
  tigris_finish_run_s8(&k->dense, sum, inputSum, o, n, y);
}

/* One output channel with its own input channel. The zero point is subtracted from each weight, so
 * the input sum is not needed. */
static void channel(const DepthwiseS8* k, const PixelDepthwiseS8* at, uint32_t o, int8_t* y) {
  const size_t xStep = (size_t)(uint32_t)k->p->dilation_w * (uint32_t)k->in.c;
  const size_t wStep = k->step;
  const int32_t zero = k->dense.in_zero;
  const int32_t weightZero = k->dense.zeros == NULL ? 0 : k->dense.zeros[o * k->dense.zeros_step];
  const int32_t width = at->wx.end - at->wx.begin;
  uint32_t sum = 0;
  int32_t ky;
  for (ky = at->wy.begin; width > 0 && ky < at->wy.end; ++ky) {
    const int8_t* x = inputAt(k, at, ky) + o;
    const int8_t* w = weightsAt(k, at, ky) + o;
    int32_t taps = width;
    for (; taps > 0; --taps, x += xStep, w += wStep)
      sum += (uint32_t)((*x - zero) * (*w - weightZero));
  }
  y[o] = tigris_finish_s8(&k->dense, o, sum, 0);
}

/* Size of the next block from channel o on: channels that share one input channel, or with one
 * each. */
static uint32_t blockSize(const DepthwiseS8* k, uint32_t o) {
  const uint32_t past =
      k->multiplier == 1 ? (uint32_t)k->out.c : (o / k->multiplier + 1) * k->multiplier;
  return past - o < BLOCK ? past - o : BLOCK;
}

static void pixel(const DepthwiseS8* k, const PixelDepthwiseS8* at, int8_t* y) {
  const uint32_t channels = (uint32_t)k->out.c;
  uint32_t o = 0;
  uint32_t n;
  for (; o < channels; o += n) {
    n = blockSize(k, o);
    if (k->multiplier != 1) {
      shared(k, at, o, n, y);
    } else if (k->dense.zeros == NULL) {
      block(k, at, o, n, y);
    } else {
      n = 1;
      channel(k, at, o, y);
    }
  }
}

tigris_status tigris_depthwise_conv_s8(const tigris_call* call) {
  const tigris_view* out = &call->out[0];
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  DepthwiseS8 k;
  PixelDepthwiseS8 at;
  uint32_t r;
  k.call = call;
  k.p = p;
  k.dense = tigris_dense_of(call, p->channel, p->lo.i, p->hi.i);
  k.in = tigris_view_shape(&call->in[0]);
  k.out = tigris_view_shape(out);
  k.multiplier = (uint32_t)(k.out.c / k.in.c);
  k.step = tigris_weight_row(call);
  for (r = out->first; r < out->first + out->rows; ++r) {
    int8_t* y = (int8_t*)(void*)tigris_row(out, r);
    int32_t x;
    at.batchRow = r / (uint32_t)k.out.h * (uint32_t)k.in.h;
    at.wy = tigris_window_at((int32_t)(r % (uint32_t)k.out.h), p->stride_h, p->pad_top,
                             p->dilation_h, p->kernel_h, k.in.h);
    for (x = 0; x < k.out.w; ++x) {
      at.wx = tigris_window_at(x, p->stride_w, p->pad_left, p->dilation_w, p->kernel_w, k.in.w);
      pixel(&k, &at, y + (size_t)(uint32_t)x * (uint32_t)k.out.c);
    }
  }
  return TIGRIS_OK;
}
