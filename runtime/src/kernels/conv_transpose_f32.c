/* Float transposed convolution in gather form: each output value adds its taps in a fixed order. */
#include "dense_f32.h"
#include "kernels.h"
#include "transposed.h"
#include "view.h"

tigris_status tigris_conv_transpose_f32(const tigris_call* call) {
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  const tigris_view* out = &call->out[0];
  const tigris_shape4 si = tigris_view_shape(&call->in[0]);
  const tigris_shape4 so = tigris_view_shape(out);
  const uint32_t groupIn = (uint32_t)(si.c / p->groups);
  const uint32_t groupOut = (uint32_t)(so.c / p->groups);
  const uint32_t step = tigris_weight_row(call);
  const uint32_t tapSize = groupIn * step;
  const float* weights = (const float*)(const void*)call->in[1].data;
  const float* bias = call->op->inputs > 2 ? (const float*)(const void*)call->in[2].data : NULL;
  uint32_t r;
  for (r = out->first; r < out->first + out->rows; ++r) {
    const uint32_t batchRow = r / (uint32_t)so.h * (uint32_t)si.h;
    const int32_t oy = (int32_t)(r % (uint32_t)so.h);
    uint32_t column; /* output pixel and channel block by block */
    for (column = 0; column < (uint32_t)so.w * (uint32_t)p->groups; ++column) {
      const int32_t ox = (int32_t)(column / (uint32_t)p->groups);
      const uint32_t g = column % (uint32_t)p->groups;
      const float* gw =
          weights + (size_t)g * (uint32_t)p->kernel_h * (uint32_t)p->kernel_w * tapSize;
      float* y = (float*)(void*)tigris_row(out, r) + (size_t)column * groupOut;
      uint32_t o;
      uint32_t n;
      for (o = 0; o < groupOut; o += n) {
        float sum[TIGRIS_BLOCK_F32];
        int32_t ky;
        int32_t kx;
        n = tigris_block_f32(groupOut - o);
        tigris_bias_f32(sum, n, bias == NULL ? NULL : bias + g * groupOut + o);
        for (ky = 0; ky < p->kernel_h; ++ky) {
          const int32_t iy =
              tigris_transposed_source(oy + p->pad_top, ky * p->dilation_h, p->stride_h, si.h);
          const float* row;
          if (iy < 0)
            continue;
          row = tigris_row_f32(&call->in[0], batchRow + (uint32_t)iy);
          for (kx = 0; kx < p->kernel_w; ++kx) {
            const int32_t ix =
                tigris_transposed_source(ox + p->pad_left, kx * p->dilation_w, p->stride_w, si.w);
            if (ix >= 0)
              tigris_mac_f32(sum, n, row + (size_t)(uint32_t)ix * (uint32_t)si.c + g * groupIn,
                             groupIn, gw + (size_t)(uint32_t)(ky * p->kernel_w + kx) * tapSize + o,
                             step);
          }
        }
        tigris_store_f32(y + o, sum, n, p->lo.f, p->hi.f);
      }
    }
  }
  return TIGRIS_OK;
}
