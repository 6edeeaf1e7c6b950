/* Float depthwise convolution with any channel multiplier; weights [KH, KW, O]. */
#include "dense_f32.h"
#include "kernels.h"
#include "window.h"

typedef struct DepthwiseF32 {
  const tigris_call* call;
  const tigris_conv_params* p;
  tigris_shape4 in;
  tigris_shape4 out;
  uint32_t multiplier;
  uint32_t step; /* distance between taps: all channels of the whole tensor */
} DepthwiseF32;

/* sum[c] += x[channel of c] * w[c] for output channels first .. first + n - 1. */
static void tap(float* sum, uint32_t first, uint32_t n, const float* x, const float* w,
                uint32_t multiplier) {
  uint32_t c;
  if (multiplier == 1 && n == TIGRIS_BLOCK_F32) {
    for (c = 0; c < TIGRIS_BLOCK_F32; ++c)
      sum[c] += x[first + c] * w[first + c];
  } else if (multiplier == 1) {
    for (c = 0; c < n; ++c)
      sum[c] += x[first + c] * w[first + c];
  } else {
    for (c = 0; c < n; ++c)
      sum[c] += x[(first + c) / multiplier] * w[first + c];
  }
}

static void pixel(const DepthwiseF32* k, float* y, uint32_t batchRow, const tigris_window* wy,
                  const tigris_window* wx) {
  const tigris_conv_params* p = k->p;
  const float* weights = (const float*)(const void*)k->call->in[1].data;
  const float* bias =
      k->call->op->inputs > 2 ? (const float*)(const void*)k->call->in[2].data : NULL;
  const uint32_t channels = (uint32_t)k->out.c;
  uint32_t o;
  uint32_t n;
  for (o = 0; o < channels; o += n) {
    float sum[TIGRIS_BLOCK_F32];
    int32_t ky;
    int32_t kx;
    n = channels - o < TIGRIS_BLOCK_F32 ? channels - o : TIGRIS_BLOCK_F32;
    tigris_bias_f32(sum, n, bias == NULL ? NULL : bias + o);
    for (ky = wy->begin; ky < wy->end; ++ky) {
      const float* row =
          tigris_row_f32(&k->call->in[0], batchRow + (uint32_t)(wy->start + ky * p->dilation_h));
      for (kx = wx->begin; kx < wx->end; ++kx) {
        const uint32_t x = (uint32_t)(wx->start + kx * p->dilation_w);
        tap(sum, o, n, row + (size_t)x * (uint32_t)k->in.c,
            weights + (size_t)(uint32_t)(ky * p->kernel_w + kx) * k->step, k->multiplier);
      }
    }
    tigris_store_f32(y + o, sum, n, p->lo.f, p->hi.f);
  }
}

tigris_status tigris_depthwise_conv_f32(const tigris_call* call) {
  const tigris_view* out = &call->out[0];
  DepthwiseF32 k;
  uint32_t r;
  k.call = call;
  k.p = (const tigris_conv_params*)call->params;
  k.in = tigris_view_shape(&call->in[0]);
  k.out = tigris_view_shape(out);
  k.multiplier = (uint32_t)(k.out.c / k.in.c);
  k.step = tigris_weight_row(call);
  for (r = out->first; r < out->first + out->rows; ++r) {
    const uint32_t batchRow = r / (uint32_t)k.out.h * (uint32_t)k.in.h;
    const tigris_window wy = tigris_window_at((int32_t)(r % (uint32_t)k.out.h), k.p->stride_h,
                                              k.p->pad_top, k.p->dilation_h, k.p->kernel_h, k.in.h);
    float* y = (float*)(void*)tigris_row(out, r);
    int32_t x;
    for (x = 0; x < k.out.w; ++x) {
      const tigris_window wx =
          tigris_window_at(x, k.p->stride_w, k.p->pad_left, k.p->dilation_w, k.p->kernel_w, k.in.w);
      pixel(&k, y + (size_t)(uint32_t)x * (uint32_t)k.out.c, batchRow, &wy, &wx);
    }
  }
  return TIGRIS_OK;
}
