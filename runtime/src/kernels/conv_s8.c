/* int8 convolution, any group count; weights [O, KH, KW, I/G]. */
#include <string.h>

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
  uint32_t tapRow; /* taps of a kernel row */
  uint32_t run;    /* taps contiguous in the input: a kernel row, or one pixel */
  /* of the current pixels */
  uint32_t batchRow;
  tigris_window wy;
  int32_t column;   /* of the first tap of the first pixel; may be negative */
  uint32_t inStart; /* first input channel of the group */
} ConvS8;

/* One run: n int16 values from element `start` of an input row; the run may be partly or wholly
 * outside. */
static void gatherRun(const ConvS8* k, const int8_t* row, int32_t start, int32_t n, int16_t* to) {
  const int32_t width = k->in.w * k->in.c;
  const int32_t before = start >= 0 ? 0 : (start < -n ? n : -start);
  const int32_t left = width - start - before;
  const int32_t inside = left < 0 ? 0 : (left < n - before ? left : n - before);
  if (before > 0)
    memset(to, 0, (size_t)before * sizeof *to);
  if (inside > 0)
    tigris_widen_s8(to + before, row + start + before, k->dense.in_zero, (uint32_t)inside);
  if (n - before - inside > 0)
    memset(to + before + inside, 0, (size_t)(n - before - inside) * sizeof *to);
}

/* Taps count from the first kernel row inside the input. */
static void gather(const void* source, uint32_t pixel, uint32_t from, uint32_t n, int16_t* patch) {
  const ConvS8* k = (const ConvS8*)source;
  const int32_t column = k->column + (int32_t)pixel * k->p->stride_w;
  int32_t ky = k->wy.begin + (int32_t)(from / k->tapRow);
  uint32_t at = from % k->tapRow; /* tap within its kernel row */
  while (n != 0) {
    const int8_t* row = tigris_row_s8(
        &k->call->in[0], k->batchRow + (uint32_t)(k->wy.start + ky * k->p->dilation_h));
    for (; n != 0 && at < k->tapRow;) {
      const uint32_t kx = at / k->run; /* 0 when a kernel row is one run */
      const uint32_t skip = at - kx * k->run;
      const uint32_t take = k->run - skip < n ? k->run - skip : n;
      int32_t x = column + (int32_t)kx * k->p->dilation_w;
      /* clamping avoids overflow; it stays outside */
      x = tigris_clamp_s32(x, -k->p->kernel_w, k->in.w);
      gatherRun(k, row, x * k->in.c + (int32_t)(k->inStart + skip), (int32_t)take, patch);
      patch += take;
      at += take;
      n -= take;
    }
    at = 0;
    ++ky;
  }
}

/* One or two pixels of a row. */
static void pixels(ConvS8* k, tigris_patches_s8* patches, int8_t* const* y) {
  const int8_t* weights = (const int8_t*)(const void*)k->call->in[1].data;
  const size_t filter = (size_t)(uint32_t)k->p->kernel_h * k->tapRow;
  uint32_t g;
  weights += (uint32_t)k->wy.begin * k->tapRow;
  for (g = 0; g < (uint32_t)k->p->groups; ++g) {
    k->inStart = g * k->groupIn;
    tigris_dense_pixels_s8(&k->dense, patches, weights + g * k->groupOut * filter, filter,
                           g * k->groupOut, k->groupOut, y);
  }
}

tigris_status tigris_conv_s8(const tigris_call* call) {
  const tigris_view* out = &call->out[0];
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  tigris_patches_s8 patches;
  ConvS8 k;
  uint32_t r;
  k.call = call;
  k.p = p;
  k.dense = tigris_dense_of(call, p->channel, p->lo.i, p->hi.i);
  k.in = tigris_view_shape(&call->in[0]);
  k.out = tigris_view_shape(out);
  k.groupIn = (uint32_t)(k.in.c / p->groups);
  k.groupOut = (uint32_t)(k.out.c / p->groups);
  k.tapRow = (uint32_t)p->kernel_w * k.groupIn;
  k.run = p->groups == 1 && p->dilation_w == 1 ? k.tapRow : k.groupIn;
  patches.gather = gather;
  patches.source = &k;
  for (r = out->first; r < out->first + out->rows; ++r) {
    int8_t* y[2];
    int32_t x;
    k.batchRow = r / (uint32_t)k.out.h * (uint32_t)k.in.h;
    k.wy = tigris_window_at((int32_t)(r % (uint32_t)k.out.h), p->stride_h, p->pad_top,
                            p->dilation_h, p->kernel_h, k.in.h);
    patches.taps = (uint32_t)(k.wy.end - k.wy.begin) * k.tapRow;
    y[0] = (int8_t*)(void*)tigris_row(out, r);
    for (x = 0; x < k.out.w; x += (int32_t)patches.pixels) {
      patches.pixels = k.out.w - x < 2 ? 1 : 2;
      y[1] = y[0] + k.out.c;
      k.column = x * p->stride_w - p->pad_left;
      pixels(&k, &patches, y);
      y[0] += patches.pixels * (uint32_t)k.out.c;
    }
  }
  return TIGRIS_OK;
}
