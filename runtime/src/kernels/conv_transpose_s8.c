/* int8 transposed convolution in gather form; weights [O, KH, KW, I/G]. */
#include "dense_s8.h"
#include "kernels.h"
#include "transposed.h"

tigris_status tigris_conv_transpose_s8(const tigris_call* call) {
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  const tigris_view* out = &call->out[0];
  const tigris_shape4 si = tigris_view_shape(&call->in[0]);
  const tigris_shape4 so = tigris_view_shape(out);
  const uint32_t groupIn = (uint32_t)(si.c / p->groups);
  const uint32_t groupOut = (uint32_t)(so.c / p->groups);
  const size_t filter = (size_t)(uint32_t)p->kernel_h * (uint32_t)p->kernel_w * groupIn;
  const int8_t* weights = (const int8_t*)(const void*)call->in[1].data;
  const tigris_dense_s8 dense = tigris_dense_of(call, p->channel, p->lo.i, p->hi.i);
  uint32_t r;
  for (r = out->first; r < out->first + out->rows; ++r) {
    const uint32_t batchRow = r / (uint32_t)so.h * (uint32_t)si.h;
    const int32_t oy = (int32_t)(r % (uint32_t)so.h);
    int8_t* y = (int8_t*)(void*)tigris_row(out, r);
    uint32_t column; /* output pixel and group */
    for (column = 0; column < (uint32_t)so.w * (uint32_t)p->groups; ++column) {
      const int32_t ox = (int32_t)(column / (uint32_t)p->groups);
      const uint32_t g = column % (uint32_t)p->groups;
      uint32_t o = g * groupOut;
      uint32_t n;
      for (; o < (g + 1) * groupOut; o += n) {
        uint32_t sum[4] = {0, 0, 0, 0};
        uint32_t inputSum = 0;
        uint32_t i;
        int32_t ky;
        int32_t kx;
        n = (g + 1) * groupOut - o >= 4 ? 4 : 1;
        for (ky = 0; ky < p->kernel_h; ++ky) {
          const int32_t iy =
              tigris_transposed_source(oy + p->pad_top, ky * p->dilation_h, p->stride_h, si.h);
          if (iy < 0)
            continue;
          for (kx = 0; kx < p->kernel_w; ++kx) {
            const int32_t ix =
                tigris_transposed_source(ox + p->pad_left, kx * p->dilation_w, p->stride_w, si.w);
            const int8_t* x;
            const int8_t* w;
            if (ix < 0)
              continue;
            x = tigris_row_s8(&call->in[0], batchRow + (uint32_t)iy) +
                (size_t)(uint32_t)ix * (uint32_t)si.c + g * groupIn;
            w = weights + o * filter + (size_t)(uint32_t)(ky * p->kernel_w + kx) * groupIn;
            for (i = 0; i < n; ++i)
              sum[i] += tigris_dot1_s8(x, dense.in_zero, w + i * filter, groupIn);
            if (dense.zeros != NULL)
              inputSum += tigris_sum_s8(x, dense.in_zero, groupIn);
          }
        }
        for (i = 0; i < n; ++i)
          y[(uint32_t)ox * (uint32_t)so.c + o + i] =
              tigris_finish_s8(&dense, o + i, sum[i], inputSum);
      }
    }
  }
  return TIGRIS_OK;
}
