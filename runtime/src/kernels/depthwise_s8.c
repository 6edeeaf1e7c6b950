/* int8 depthwise convolution with any channel multiplier; weights [KH, KW, O]. */
#include "dense_s8.h"
#include "kernels.h"
#include "window.h"

#define BLOCK 16

typedef struct DepthwiseS8 {
  const tigris_call* call;
  const tigris_conv_params* p;
  tigris_dense_s8 dense;
  tigris_shape4 in;
  tigris_shape4 out;
  uint32_t multiplier;
} DepthwiseS8;

/* Adds one tap to the accumulators of output channels first .. first + n - 1. x holds the tap's input
 * channels, w its weights; zeros are the weight zero points of the block, or NULL. */
static void tap(uint32_t* sum, uint32_t first, uint32_t n, const int8_t* x, const int8_t* w,
                const DepthwiseS8* k, const int32_t* zeros) {
  const int32_t zero = k->dense.in_zero;
  uint32_t c;
  if (k->multiplier == 1 && zeros == NULL && n == BLOCK) {
    for (c = 0; c < BLOCK; ++c)
      sum[c] += (uint32_t)((int16_t)(x[first + c] - zero) * (int16_t)w[first + c]);
  } else {
    for (c = 0; c < n; ++c) {
      const int32_t weight = w[first + c] - (zeros == NULL ? 0 : zeros[c]);
      sum[c] += (uint32_t)((x[(first + c) / k->multiplier] - zero) * weight);
    }
  }
}

static void pixel(const DepthwiseS8* k, int8_t* y, uint32_t batchRow, const tigris_window* wy,
                  const tigris_window* wx) {
  const tigris_conv_params* p = k->p;
  const int8_t* weights = (const int8_t*)(const void*)k->call->in[1].data;
  const uint32_t channels = (uint32_t)k->out.c;
  uint32_t o;
  uint32_t n;
  for (o = 0; o < channels; o += n) {
    uint32_t sum[BLOCK] = {0};
    int32_t zeros[BLOCK];
    uint32_t c;
    int32_t ky;
    int32_t kx;
    n = channels - o < BLOCK ? channels - o : BLOCK;
    for (c = 0; k->dense.zeros != NULL && c < n; ++c)
      zeros[c] = k->dense.zeros[(o + c) * k->dense.zeros_step];
    for (ky = wy->begin; ky < wy->end; ++ky) {
      const int8_t* row =
          tigris_row_s8(&k->call->in[0], batchRow + (uint32_t)(wy->start + ky * p->dilation_h));
      for (kx = wx->begin; kx < wx->end; ++kx) {
        const uint32_t x = (uint32_t)(wx->start + kx * p->dilation_w);
        tap(sum, o, n, row + (size_t)x * (uint32_t)k->in.c,
            weights + (size_t)(uint32_t)(ky * p->kernel_w + kx) * channels, k,
            k->dense.zeros == NULL ? NULL : zeros);
      }
    }
    /* The zero points of the weights are already taken off, so the input sum is not needed. */
    for (c = 0; c < n; ++c)
      y[o + c] = tigris_finish_s8(&k->dense, o + c, sum[c], 0);
  }
}

tigris_status tigris_depthwise_conv_s8(const tigris_call* call) {
  const tigris_view* out = &call->out[0];
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  DepthwiseS8 k;
  uint32_t r;
  k.call = call;
  k.p = p;
  k.dense = tigris_dense_of(call, p->requant, p->requant_count, p->weight_zeros,
                            p->weight_zeros_count, p->lo.i, p->hi.i);
  k.in = tigris_shape4_of(call->plan, call->in[0].tensor);
  k.out = tigris_shape4_of(call->plan, out->tensor);
  k.multiplier = (uint32_t)(k.out.c / k.in.c);
  for (r = out->first; r < out->first + out->rows; ++r) {
    const uint32_t batchRow = r / (uint32_t)k.out.h * (uint32_t)k.in.h;
    const tigris_window wy = tigris_window_at((int32_t)(r % (uint32_t)k.out.h), p->stride_h,
                                              p->pad_top, p->dilation_h, p->kernel_h, k.in.h);
    int8_t* y = (int8_t*)(void*)tigris_row(out, r);
    int32_t x;
    for (x = 0; x < k.out.w; ++x) {
      const tigris_window wx =
          tigris_window_at(x, p->stride_w, p->pad_left, p->dilation_w, p->kernel_w, k.in.w);
      pixel(&k, y + (size_t)(uint32_t)x * (uint32_t)k.out.c, batchRow, &wy, &wx);
    }
  }
  return TIGRIS_OK;
}
