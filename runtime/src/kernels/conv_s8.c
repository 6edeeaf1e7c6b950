/* int8 convolution, any group count; weights [O, KH, KW, I/G]. */
#include "dense_s8.h"
#include "kernels.h"
#include "window.h"

typedef struct ConvS8 {
  const tigris_call* call;
  const tigris_conv_params* p;
  tigris_dense_s8 dense;
  tigris_shape4 in;
  tigris_shape4 out;
  uint32_t groupIn;
  uint32_t groupOut;
  size_t filter; /* bytes of one output channel's weights */
  int joined;    /* taps of a kernel row form one run in the input and in the weights */
} ConvS8;

/* The window over one output pixel as runs: run (ky, kx) covers runLength input channels. */
typedef struct PixelS8 {
  uint32_t batchRow;
  tigris_window wy;
  tigris_window wx;
} PixelS8;

static const int8_t* runStart(const ConvS8* k, const PixelS8* at, int32_t ky, int32_t kx,
                              uint32_t inStart) {
  const int8_t* row = tigris_row_s8(
      &k->call->in[0], at->batchRow + (uint32_t)(at->wy.start + ky * k->p->dilation_h));
  return row + (size_t)(uint32_t)(at->wx.start + kx * k->p->dilation_w) * (uint32_t)k->in.c +
         inStart;
}

/* Channels [o, o + n) of one pixel, n = 4 or 1; w points to the weights of channel o. */
static void block(const ConvS8* k, const PixelS8* at, uint32_t inStart, uint32_t n, const int8_t* w,
                  uint32_t* sum) {
  const int32_t step = k->joined ? at->wx.end - at->wx.begin : 1;
  const uint32_t length = (uint32_t)step * k->groupIn;
  int32_t ky;
  int32_t kx;
  for (ky = at->wy.begin; ky < at->wy.end; ++ky) {
    for (kx = at->wx.begin; kx < at->wx.end; kx += step) {
      const int8_t* x = runStart(k, at, ky, kx, inStart);
      const int8_t* tap = w + (size_t)(uint32_t)(ky * k->p->kernel_w + kx) * k->groupIn;
      if (n == 4)
        tigris_dot4_s8(sum, x, k->dense.in_zero, tap, k->filter, length);
      else
        sum[0] += tigris_dot1_s8(x, k->dense.in_zero, tap, length);
    }
  }
}

/* sum of (x - zx) over the window: what weight zero points are multiplied with. */
static uint32_t windowSum(const ConvS8* k, const PixelS8* at, uint32_t inStart) {
  uint32_t sum = 0;
  int32_t ky;
  int32_t kx;
  for (ky = at->wy.begin; ky < at->wy.end; ++ky) {
    for (kx = at->wx.begin; kx < at->wx.end; ++kx)
      sum += tigris_sum_s8(runStart(k, at, ky, kx, inStart), k->dense.in_zero, k->groupIn);
  }
  return sum;
}

static void pixel(const ConvS8* k, const PixelS8* at, int8_t* y) {
  const int8_t* weights = (const int8_t*)(const void*)k->call->in[1].data;
  int32_t g;
  for (g = 0; g < k->p->groups; ++g) {
    const uint32_t inStart = (uint32_t)g * k->groupIn;
    const uint32_t past = (uint32_t)(g + 1) * k->groupOut;
    const uint32_t inputSum = k->dense.zeros == NULL ? 0 : windowSum(k, at, inStart);
    uint32_t o = past - k->groupOut;
    uint32_t n;
    for (; o < past; o += n) {
      uint32_t sum[4] = {0, 0, 0, 0};
      uint32_t i;
      n = past - o >= 4 ? 4 : 1;
      block(k, at, inStart, n, weights + o * k->filter, sum);
      for (i = 0; i < n; ++i)
        y[o + i] = tigris_finish_s8(&k->dense, o + i, sum[i], inputSum);
    }
  }
}

tigris_status tigris_conv_s8(const tigris_call* call) {
  const tigris_view* out = &call->out[0];
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  ConvS8 k;
  PixelS8 at;
  uint32_t r;
  k.call = call;
  k.p = p;
  k.dense = tigris_dense_of(call, p->requant, p->requant_count, p->weight_zeros,
                            p->weight_zeros_count, p->lo.i, p->hi.i);
  k.in = tigris_view_shape(&call->in[0]);
  k.out = tigris_view_shape(out);
  k.groupIn = (uint32_t)(k.in.c / p->groups);
  k.groupOut = (uint32_t)(k.out.c / p->groups);
  k.filter = (size_t)(uint32_t)p->kernel_h * (uint32_t)p->kernel_w * k.groupIn;
  k.joined = p->groups == 1 && p->dilation_w == 1;
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
