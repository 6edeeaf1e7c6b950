/* Float depthwise convolution: vectors of channels, four pixels at once; one by one with channel multipliers. */
#include "kernels/kernels.h"
#include "kernels/window.h"
#include "vectors.h"

#define MAX_ROWS 32
#define PIXELS 4

typedef TIGRIS_HOST_JOIN(Vec, HOST_FLOATS) Vec;
typedef TIGRIS_HOST_JOIN(Mask, HOST_FLOATS) Mask;

typedef struct Depthwise {
  const float* rows[MAX_ROWS]; /* input rows of the kernel rows [0, rowCount) */
  uint32_t rowCount;
  uint32_t columns;
  size_t columnStep; /* input floats from tap to tap */
  size_t pixelStep;  /* and from pixel to pixel */
  size_t outStep;
  uint32_t multiplier; /* output channels per input channel */
  size_t weightRow;
  size_t weightStep;
  float lo;
  float hi;
} Depthwise;

static float clamp(float v, float lo, float hi) { return v < lo ? lo : (v > hi ? hi : v); }

/* Channels [0, HOST_FLOATS) of up to PIXELS pixels, a constant where this is inlined. */
static inline __attribute__((always_inline)) void
vectorTile(const Depthwise* k, size_t at, const float* w, const float* bias, float* y, int pixels) {
  Vec sum[PIXELS];
  uint32_t r;
  uint32_t c;
  int p;
  UNROLL
  for (p = 0; p < pixels; ++p) {
    if (bias == NULL)
      sum[p] = (Vec){0};
    else
      sum[p] = *(const Vec*)(const void*)bias;
  }
  for (r = 0; r < k->rowCount; ++r) {
    for (c = 0; c < k->columns; ++c) {
      const float* x = k->rows[r] + at + c * k->columnStep;
      const Vec weights = *(const Vec*)(const void*)(w + r * k->weightRow + c * k->weightStep);
      UNROLL
      for (p = 0; p < pixels; ++p)
        sum[p] += *(const Vec*)(const void*)(x + (size_t)p * k->pixelStep) * weights;
    }
  }
  UNROLL
  for (p = 0; p < pixels; ++p) {
    const Vec lo = (Vec){0} + k->lo;
    const Vec hi = (Vec){0} + k->hi;
    Vec out = sum[p];
    out = SELECT(Mask, out < lo, lo, out);
    out = SELECT(Mask, out > hi, hi, out);
    *(Vec*)(void*)(y + (size_t)p * k->outStep) = out;
  }
}

/* The same for 1 to PIXELS pixels. */
static void vectorTiles(const Depthwise* k, size_t at, const float* w, const float* bias, float* y,
                        uint32_t pixels) {
  switch (pixels) {
  case 1:
    vectorTile(k, at, w, bias, y, 1);
    break;
  case 2:
    vectorTile(k, at, w, bias, y, 2);
    break;
  case 3:
    vectorTile(k, at, w, bias, y, 3);
    break;
  default:
    vectorTile(k, at, w, bias, y, PIXELS);
    break;
  }
}

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

/* `pixels` outputs whose windows have the same shape. */
static void run(const Depthwise* k, size_t at, uint32_t pixels, uint32_t channels, const float* w,
                const float* bias, float* y) {
  uint32_t o = 0;
  uint32_t p;
  for (; k->multiplier == 1 && channels - o >= HOST_FLOATS; o += HOST_FLOATS) {
    const float* b = bias == NULL ? NULL : bias + o;
    for (p = 0; p < pixels; p += PIXELS)
      vectorTiles(k, at + o + p * k->pixelStep, w + o, b, y + o + p * k->outStep,
                  pixels - p < PIXELS ? pixels - p : PIXELS);
  }
  for (; o < channels; ++o) {
    for (p = 0; p < pixels; ++p)
      channel(k, at + o / k->multiplier + p * k->pixelStep, w + o, bias == NULL ? NULL : bias + o,
              y + o + p * k->outStep);
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
