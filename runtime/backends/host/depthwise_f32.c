/* Float depthwise convolution: vectors of channels, four pixels at a time; scalar with channel
 * multipliers. */
#include "kernels/kernels.h"
#include "kernels/window.h"
#include "vectors.h"

#define MAX_ROWS 32
#define PIXELS 4

typedef struct Depthwise {
  const float* rows[MAX_ROWS]; /* input rows of the kernel rows [0, rowCount) */
  uint32_t rowCount;
  uint32_t columns;
  size_t columnStep; /* input floats from tap to tap */
  size_t pixelStep;  /* input floats from pixel to pixel */
  size_t outStep;
  uint32_t multiplier; /* output channels per input channel */
  size_t weightRow;
  size_t weightStep;
  float lo;
  float hi;
} Depthwise;

static float clamp(float v, float lo, float hi) { return v < lo ? lo : (v > hi ? hi : v); }

static void channel(const Depthwise* k, size_t at, const float* w, const float* bias, float* y) {
  float sum = bias == NULL ? 0.0f : *bias;
  uint32_t r;
  uint32_t c;
  for (r = 0; r < k->rowCount; ++r) {
    for (c = 0; c < k->columns; ++c)
      sum += k->rows[r][at + c * k->columnStep] * w[r * k->weightRow + c * k->weightStep];
  }
  *y = clamp(sum, k->lo, k->hi);
}

#define LANES 4
#include "depthwise_tile_f32.h"
#define LANES 8
#include "depthwise_tile_f32.h"
#if HOST_FLOATS > 8
#define LANES 16
#include "depthwise_tile_f32.h"
#endif

/* `pixels` outputs whose windows have the same shape. */
static void run(const Depthwise* k, size_t at, uint32_t pixels, uint32_t channels, const float* w,
                const float* bias, float* y) {
  uint32_t o = 0;
  uint32_t lanes;
  uint32_t p;
  while (o < channels) {
    const uint32_t left = k->multiplier == 1 ? channels - o : 1;
    const float* b = bias == NULL ? NULL : bias + o;
    lanes = left >= HOST_FLOATS ? HOST_FLOATS : (left >= 8 ? 8 : (left >= 4 ? 4 : 1));
    for (p = 0; p < pixels; p += PIXELS) {
      const uint32_t n = pixels - p < PIXELS ? pixels - p : PIXELS;
      const size_t from = at + o / k->multiplier + p * k->pixelStep;
      float* to = y + o + p * k->outStep;
      uint32_t i;
      switch (lanes) {
#if HOST_FLOATS > 8
      case 16:
        tiles_16(k, from, w + o, b, to, n);
        break;
#endif
      case 8:
        tiles_8(k, from, w + o, b, to, n);
        break;
      case 4:
        tiles_4(k, from, w + o, b, to, n);
        break;
      default:
        for (i = 0; i < n; ++i)
          channel(k, from + i * k->pixelStep, w + o, b, to + i * k->outStep);
        break;
      }
    }
    o += lanes;
  }
}

tigris_status TIGRIS_HOST_NAME(tigris_host_depthwise_conv_f32)(const tigris_call* call) {
  const tigris_view* out = &call->out[0];
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  const tigris_shape4 in = tigris_view_shape(&call->in[0]);
  const tigris_shape4 so = tigris_view_shape(out);
  const float* weights = (const float*)(const void*)call->in[1].data;
  const float* bias = call->op->inputs > 2 ? (const float*)(const void*)call->in[2].data : NULL;
  Depthwise k;
  uint32_t r;
  if (p->kernel_h > MAX_ROWS)
    return tigris_depthwise_conv_f32(call);
  if (in.c == 1) /* an ordinary convolution: weights [KH, KW, O] are [1, KH, KW, 1, O] */
    return TIGRIS_HOST_NAME(tigris_host_conv_f32)(call);
  k.weightStep = tigris_weight_row(call);
  k.weightRow = (uint32_t)p->kernel_w * k.weightStep;
  k.columnStep = (size_t)(uint32_t)p->dilation_w * (uint32_t)in.c;
  k.pixelStep = (size_t)(uint32_t)p->stride_w * (uint32_t)in.c;
  k.outStep = (uint32_t)so.c;
  k.multiplier = (uint32_t)(so.c / in.c);
  k.lo = p->lo.f;
  k.hi = p->hi.f;
  for (r = out->first; r < out->first + out->rows; ++r) {
    const uint32_t batchRow = r / (uint32_t)so.h * (uint32_t)in.h;
    const tigris_window wy = tigris_window_at((int32_t)(r % (uint32_t)so.h), p->stride_h,
                                              p->pad_top, p->dilation_h, p->kernel_h, in.h);
    float* y = (float*)(void*)tigris_row(out, r);
    int32_t ky;
    int32_t x;
    int32_t n;
    k.rowCount = 0;
    for (ky = wy.begin; ky < wy.end; ++ky)
      k.rows[k.rowCount++] =
          tigris_row_f32(&call->in[0], batchRow + (uint32_t)(wy.start + ky * p->dilation_h));
    for (x = 0; x < so.w; x += n) {
      const tigris_window wx =
          tigris_window_at(x, p->stride_w, p->pad_left, p->dilation_w, p->kernel_w, in.w);
      const int isEmpty = wx.begin >= wx.end || wy.begin >= wy.end;
      const int32_t first = isEmpty ? 0 : wx.start + wx.begin * p->dilation_w;
      n = tigris_host_alike(x, so.w, &wx, p, in.w);
      k.columns = isEmpty ? 0 : (uint32_t)(wx.end - wx.begin);
      run(&k, (size_t)(uint32_t)first * (uint32_t)in.c, (uint32_t)n, (uint32_t)so.c,
          isEmpty ? weights
                  : weights + (uint32_t)wy.begin * k.weightRow + (uint32_t)wx.begin * k.weightStep,
          bias, y + (size_t)(uint32_t)x * (uint32_t)so.c);
    }
  }
  return TIGRIS_OK;
}
