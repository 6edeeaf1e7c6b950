/* Convolutions of int16 activations: plain, depthwise and transposed; weights as for int8. */
#include "dense_s16.h"
#include "kernels.h"
#include "transposed.h"
#include "window.h"

typedef struct ConvS16 {
  const tigris_call* call;
  const tigris_conv_params* p;
  tigris_dense_s8 dense;
  tigris_shape4 in;
  tigris_shape4 out;
  uint32_t groupIn;
  uint32_t groupOut;
} ConvS16;

/* The current output pixel. */
typedef struct PixelS16 {
  uint32_t batchRow; /* first row of its image in the input */
  int32_t oy;
  int32_t ox;
} PixelS16;

typedef int64_t (*SumS16)(const ConvS16* k, const PixelS16* at, uint32_t o);

static const int16_t* inputAt(const ConvS16* k, const PixelS16* at, int32_t iy, int32_t ix) {
  return tigris_row_s16(&k->call->in[0], at->batchRow + (uint32_t)iy) +
         (size_t)(uint32_t)ix * (uint32_t)k->in.c;
}

/* Weights [O, KH, KW, I/G]: the weights of one tap for output channel `o`. */
static const int8_t* filterAt(const ConvS16* k, uint32_t o, int32_t ky, int32_t kx) {
  const uint32_t taps = (uint32_t)k->p->kernel_h * (uint32_t)k->p->kernel_w;
  const uint32_t tap = (uint32_t)(ky * k->p->kernel_w + kx);
  return (const int8_t*)(const void*)k->call->in[1].data + ((size_t)o * taps + tap) * k->groupIn;
}

static tigris_window rowsOf(const ConvS16* k, const PixelS16* at) {
  return tigris_window_at(at->oy, k->p->stride_h, k->p->pad_top, k->p->dilation_h, k->p->kernel_h,
                          k->in.h);
}

static tigris_window columnsOf(const ConvS16* k, const PixelS16* at) {
  return tigris_window_at(at->ox, k->p->stride_w, k->p->pad_left, k->p->dilation_w, k->p->kernel_w,
                          k->in.w);
}

static int64_t plainSum(const ConvS16* k, const PixelS16* at, uint32_t o) {
  const tigris_window wy = rowsOf(k, at);
  const tigris_window wx = columnsOf(k, at);
  const int32_t weightZero = tigris_weight_zero(&k->dense, o);
  const uint32_t first = o / k->groupOut * k->groupIn;
  int64_t sum = 0;
  int32_t ky;
  int32_t kx;
  for (ky = wy.begin; ky < wy.end; ++ky) {
    for (kx = wx.begin; kx < wx.end; ++kx)
      sum += tigris_dot_s16(
          inputAt(k, at, wy.start + ky * k->p->dilation_h, wx.start + kx * k->p->dilation_w) +
              first,
          k->dense.in_zero, filterAt(k, o, ky, kx), weightZero, k->groupIn);
  }
  return sum;
}

/* Weights [KH, KW, O]. */
static int64_t depthwiseSum(const ConvS16* k, const PixelS16* at, uint32_t o) {
  const tigris_window wy = rowsOf(k, at);
  const tigris_window wx = columnsOf(k, at);
  const int32_t weightZero = tigris_weight_zero(&k->dense, o);
  const int8_t* weights = (const int8_t*)(const void*)k->call->in[1].data + o;
  const uint32_t step = tigris_weight_row(k->call);
  const uint32_t c = o / (uint32_t)(k->out.c / k->in.c);
  int64_t sum = 0;
  int32_t ky;
  int32_t kx;
  for (ky = wy.begin; ky < wy.end; ++ky) {
    for (kx = wx.begin; kx < wx.end; ++kx) {
      const int16_t x =
          inputAt(k, at, wy.start + ky * k->p->dilation_h, wx.start + kx * k->p->dilation_w)[c];
      const int8_t w = weights[(size_t)(uint32_t)(ky * k->p->kernel_w + kx) * step];
      sum += (x - k->dense.in_zero) * (w - weightZero);
    }
  }
  return sum;
}

static int64_t transposedSum(const ConvS16* k, const PixelS16* at, uint32_t o) {
  const tigris_conv_params* p = k->p;
  const int32_t weightZero = tigris_weight_zero(&k->dense, o);
  const uint32_t first = o / k->groupOut * k->groupIn;
  int64_t sum = 0;
  int32_t ky;
  int32_t kx;
  for (ky = 0; ky < p->kernel_h; ++ky) {
    const int32_t iy =
        tigris_transposed_source(at->oy + p->pad_top, ky * p->dilation_h, p->stride_h, k->in.h);
    if (iy < 0)
      continue;
    for (kx = 0; kx < p->kernel_w; ++kx) {
      const int32_t ix =
          tigris_transposed_source(at->ox + p->pad_left, kx * p->dilation_w, p->stride_w, k->in.w);
      if (ix >= 0)
        sum += tigris_dot_s16(inputAt(k, at, iy, ix) + first, k->dense.in_zero,
                              filterAt(k, o, ky, kx), weightZero, k->groupIn);
    }
  }
  return sum;
}

static tigris_status convolve(const tigris_call* call, SumS16 sum) {
  const tigris_view* out = &call->out[0];
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  ConvS16 k;
  PixelS16 at;
  uint32_t r;
  k.call = call;
  k.p = p;
  k.dense = tigris_dense_of(call, p->channel, p->lo.i, p->hi.i);
  k.in = tigris_view_shape(&call->in[0]);
  k.out = tigris_view_shape(out);
  k.groupIn = (uint32_t)(k.in.c / p->groups);
  k.groupOut = (uint32_t)(k.out.c / p->groups);
  for (r = out->first; r < out->first + out->rows; ++r) {
    int16_t* y = (int16_t*)(void*)tigris_row(out, r);
    at.batchRow = r / (uint32_t)k.out.h * (uint32_t)k.in.h;
    at.oy = (int32_t)(r % (uint32_t)k.out.h);
    for (at.ox = 0; at.ox < k.out.w; ++at.ox) {
      uint32_t o;
      for (o = 0; o < (uint32_t)k.out.c; ++o)
        *y++ = tigris_finish_s16(&k.dense, o, sum(&k, &at, o));
    }
  }
  return TIGRIS_OK;
}

tigris_status tigris_conv_s16(const tigris_call* call) { return convolve(call, plainSum); }

tigris_status tigris_depthwise_conv_s16(const tigris_call* call) {
  return convolve(call, depthwiseSum);
}

tigris_status tigris_conv_transpose_s16(const tigris_call* call) {
  return convolve(call, transposedSum);
}
