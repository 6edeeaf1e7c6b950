/* Float convolution, any group count; weights [G, KH, KW, I/G, O/G]. */
#include "dense_f32.h"
#include "kernels.h"
#include "window.h"

/* The values that are the same for all pixels of a call. */
typedef struct ConvF32 {
  const tigris_call* call;
  const tigris_conv_params* p;
  tigris_shape4 in;
  tigris_shape4 out;
  uint32_t groupIn;
  uint32_t groupOut;
  /* distance between the weights of adjacent input channels: the group's outputs in the whole
   * tensor */
  uint32_t step;
  const float* weights;
  const float* bias;
} ConvF32;

/* One output pixel: all channels, in blocks, over the taps inside the input. */
static void pixel(const ConvF32* k, float* y, uint32_t batchRow, const tigris_window* wy,
                  const tigris_window* wx) {
  const tigris_conv_params* p = k->p;
  const uint32_t tapSize = k->groupIn * k->step;
  int32_t g;
  for (g = 0; g < p->groups; ++g) {
    const float* gw =
        k->weights + (size_t)g * (uint32_t)p->kernel_h * (uint32_t)p->kernel_w * tapSize;
    const uint32_t inStart = (uint32_t)g * k->groupIn;
    const uint32_t outStart = (uint32_t)g * k->groupOut;
    uint32_t o;
    uint32_t n;
    for (o = 0; o < k->groupOut; o += n) {
      float sum[TIGRIS_BLOCK_F32];
      int32_t ky;
      int32_t kx;
      n = tigris_block_f32(k->groupOut - o);
      tigris_bias_f32(sum, n, k->bias == NULL ? NULL : k->bias + outStart + o);
      for (ky = wy->begin; ky < wy->end; ++ky) {
        const float* row =
            tigris_row_f32(&k->call->in[0], batchRow + (uint32_t)(wy->start + ky * p->dilation_h));
        const float* w = gw + (size_t)(uint32_t)(ky * p->kernel_w) * tapSize + o;
        if (p->groups == 1 && p->dilation_w == 1) {
          /* Taps of a kernel row are contiguous in the input and in the weights: one run. */
          tigris_mac_f32(sum, n, row + (uint32_t)(wx->start + wx->begin) * k->groupIn,
                         (uint32_t)(wx->end - wx->begin) * k->groupIn,
                         w + (size_t)(uint32_t)wx->begin * tapSize, k->step);
          continue;
        }
        for (kx = wx->begin; kx < wx->end; ++kx) {
          const uint32_t x = (uint32_t)(wx->start + kx * p->dilation_w);
          tigris_mac_f32(sum, n, row + (size_t)x * (uint32_t)k->in.c + inStart, k->groupIn,
                         w + (size_t)(uint32_t)kx * tapSize, k->step);
        }
      }
      tigris_store_f32(y + outStart + o, sum, n, p->lo.f, p->hi.f);
    }
  }
}

tigris_status tigris_conv_f32(const tigris_call* call) {
  const tigris_view* out = &call->out[0];
  ConvF32 k;
  uint32_t r;
  k.call = call;
  k.p = (const tigris_conv_params*)call->params;
  k.in = tigris_view_shape(&call->in[0]);
  k.out = tigris_view_shape(out);
  k.groupIn = (uint32_t)(k.in.c / k.p->groups);
  k.groupOut = (uint32_t)(k.out.c / k.p->groups);
  k.step = tigris_weight_row(call);
  k.weights = (const float*)(const void*)call->in[1].data;
  k.bias = call->op->inputs > 2 ? (const float*)(const void*)call->in[2].data : NULL;
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
