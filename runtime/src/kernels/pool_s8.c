/* int8 pooling: maximum, average and global average, with TensorFlow Lite's rounding. */
#include <string.h>

#include "fixed_point.h"
#include "kernels.h"
#include "window.h"

/* Channels whose int32 sums are held at once. */
#define BLOCK 32

typedef struct PoolS8 {
  const tigris_call* call;
  const tigris_pool_params* p;
  tigris_shape4 in;
  int32_t in_zero;
  int32_t out_zero;
} PoolS8;

/* sum / n rounded half away from zero. */
static int32_t roundedDivide(int32_t sum, int32_t n) {
  return sum > 0 ? tigris_add_wrap(sum, n / 2) / n : tigris_add_wrap(sum, -(n / 2)) / n;
}

static void maxPixel(const PoolS8* k, uint32_t batchRow, const tigris_window* wy,
                     const tigris_window* wx, int8_t* y) {
  const uint32_t channels = (uint32_t)k->in.c;
  int32_t ky;
  int32_t kx;
  uint32_t c;
  memset(y, INT8_MIN, channels);
  for (ky = wy->begin; ky < wy->end; ++ky) {
    const int8_t* row =
        tigris_row_s8(&k->call->in[0], batchRow + (uint32_t)(wy->start + ky * k->p->dilation_h));
    for (kx = wx->begin; kx < wx->end; ++kx) {
      const int8_t* x = row + (size_t)(uint32_t)(wx->start + kx * k->p->dilation_w) * channels;
      for (c = 0; c < channels; ++c)
        y[c] = x[c] > y[c] ? x[c] : y[c];
    }
  }
  for (c = 0; c < channels; ++c)
    y[c] = (int8_t)tigris_clamp_s32(y[c], k->p->lo.i, k->p->hi.i);
}

static int32_t paddedTaps(const tigris_window* w, int32_t dilation, int32_t kernel, int32_t size,
                          int32_t before, int32_t after) {
  int32_t begin;
  int32_t end;
  tigris_taps(w->start + before, dilation, size + before + after, kernel, &begin, &end);
  return end - begin;
}

static void averagePixel(const PoolS8* k, uint32_t batchRow, const tigris_window* wy,
                         const tigris_window* wx, int8_t* y) {
  const tigris_pool_params* p = k->p;
  const int32_t* pairs = p->requant == TIGRIS_NONE ? NULL : k->call->plan->requant + p->requant;
  const uint32_t channels = (uint32_t)k->in.c;
  const int even = tigris_rounds_even(k->call->op);
  const int32_t taps = (wy->end - wy->begin) * (wx->end - wx->begin);
  int32_t divisor = taps;
  uint32_t first;
  uint32_t n;
  if (p->flags & TIGRIS_POOL_COUNT_PAD)
    divisor = paddedTaps(wy, p->dilation_h, p->kernel_h, k->in.h, p->pad_top, p->pad_bottom) *
              paddedTaps(wx, p->dilation_w, p->kernel_w, k->in.w, p->pad_left, p->pad_right);
  for (first = 0; first < channels; first += n) {
    int32_t sum[BLOCK];
    int32_t ky;
    int32_t kx;
    uint32_t c;
    n = channels - first < BLOCK ? channels - first : BLOCK;
    /* Padding that counts is real 0, which is the zero point. */
    for (c = 0; c < n; ++c)
      sum[c] = (int32_t)((uint32_t)(divisor - taps) * (uint32_t)k->in_zero);
    for (ky = wy->begin; ky < wy->end; ++ky) {
      const int8_t* row =
          tigris_row_s8(&k->call->in[0], batchRow + (uint32_t)(wy->start + ky * p->dilation_h));
      for (kx = wx->begin; kx < wx->end; ++kx) {
        const int8_t* x =
            row + (size_t)(uint32_t)(wx->start + kx * p->dilation_w) * channels + first;
        for (c = 0; c < n; ++c)
          sum[c] = tigris_add_wrap(sum[c], x[c]);
      }
    }
    for (c = 0; c < n; ++c) {
      int32_t v;
      if (pairs == NULL) {
        v = tigris_clamp_s32(roundedDivide(sum[c], divisor), p->lo.i, p->hi.i);
      } else {
        const int32_t centered =
            (int32_t)((uint32_t)sum[c] - (uint32_t)divisor * (uint32_t)k->in_zero);
        v = tigris_scale_s8(even, centered, pairs[divisor - 1],
                            pairs[p->requant_count + (uint32_t)divisor - 1], k->out_zero, p->lo.i,
                            p->hi.i);
      }
      y[first + c] = (int8_t)v;
    }
  }
}

typedef void (*PixelS8)(const PoolS8* k, uint32_t batchRow, const tigris_window* wy,
                        const tigris_window* wx, int8_t* y);

static void eachPixel(const tigris_call* call, PixelS8 pixel) {
  const tigris_pool_params* p = (const tigris_pool_params*)call->params;
  const tigris_view* out = &call->out[0];
  const tigris_shape4 so = tigris_view_shape(out);
  PoolS8 k;
  uint32_t r;
  k.call = call;
  k.p = p;
  k.in = tigris_view_shape(&call->in[0]);
  k.in_zero = tigris_zero_point(call->plan, call->in[0].tensor);
  k.out_zero = tigris_zero_point(call->plan, out->tensor);
  for (r = out->first; r < out->first + out->rows; ++r) {
    const tigris_window wy = tigris_window_at((int32_t)(r % (uint32_t)so.h), p->stride_h,
                                              p->pad_top, p->dilation_h, p->kernel_h, k.in.h);
    int8_t* y = (int8_t*)(void*)tigris_row(out, r);
    int32_t x;
    for (x = 0; x < so.w; ++x) {
      const tigris_window wx =
          tigris_window_at(x, p->stride_w, p->pad_left, p->dilation_w, p->kernel_w, k.in.w);
      pixel(&k, r / (uint32_t)so.h * (uint32_t)k.in.h, &wy, &wx,
            y + (size_t)(uint32_t)x * (uint32_t)so.c);
    }
  }
}

tigris_status tigris_max_pool_s8(const tigris_call* call) {
  eachPixel(call, maxPixel);
  return TIGRIS_OK;
}

tigris_status tigris_average_pool_s8(const tigris_call* call) {
  eachPixel(call, averagePixel);
  return TIGRIS_OK;
}

/* The averages of `n` sums of `taps` values each; they may overwrite the start of the sums. */
static void averageSums(const tigris_call* call, int32_t taps, const int32_t* sum, uint32_t n,
                        int8_t* y) {
  const tigris_global_pool_params* p = (const tigris_global_pool_params*)call->params;
  const int32_t inZero = tigris_zero_point(call->plan, call->in[0].tensor);
  const int32_t outZero = tigris_zero_point(call->plan, call->out[0].tensor);
  const int32_t* pair = p->requant == TIGRIS_NONE ? NULL : call->plan->requant + p->requant;
  const int even = tigris_rounds_even(call->op);
  uint32_t c;
  for (c = 0; c < n; ++c) {
    int32_t v;
    if (pair == NULL) {
      v = tigris_clamp_s32(roundedDivide(sum[c], taps), p->lo.i, p->hi.i);
    } else {
      const int32_t centered = (int32_t)((uint32_t)sum[c] - (uint32_t)taps * (uint32_t)inZero);
      v = tigris_scale_s8(even, centered, pair[0], pair[1], outZero, p->lo.i, p->hi.i);
    }
    y[c] = (int8_t)v;
  }
}

/* Adds `n` channels of a row of pixels to sums, four pixels at a time. */
static void addRow(const tigris_shape4* in, const int8_t* x, uint32_t n, int32_t* sum) {
  const uint32_t next = (uint32_t)in->c;
  int32_t w;
  uint32_t c;
  for (w = in->w; w >= 4; w -= 4, x += 4 * next) {
    for (c = 0; c < n; ++c)
      sum[c] = tigris_add_wrap(sum[c], x[c] + x[c + next] + x[c + 2 * next] + x[c + 3 * next]);
  }
  for (; w > 0; --w, x += next) {
    for (c = 0; c < n; ++c)
      sum[c] = tigris_add_wrap(sum[c], x[c]);
  }
}

tigris_status tigris_global_average_pool_s8(const tigris_call* call) {
  const tigris_view* out = &call->out[0];
  const tigris_shape4 si = tigris_view_shape(&call->in[0]);
  const uint32_t channels = (uint32_t)si.c;
  const uint32_t images = out->rows * out->pitch / channels;
  const uint32_t firstImage = out->first * out->pitch / channels;
  uint32_t i;
  for (i = 0; i < images; ++i) {
    uint32_t first;
    uint32_t n;
    for (first = 0; first < channels; first += n) {
      int32_t sum[BLOCK] = {0};
      uint32_t h;
      n = channels - first < BLOCK ? channels - first : BLOCK;
      for (h = 0; h < (uint32_t)si.h; ++h)
        addRow(&si, tigris_row_s8(&call->in[0], (firstImage + i) * (uint32_t)si.h + h) + first, n,
               sum);
      averageSums(call, si.h * si.w, sum, n,
                  (int8_t*)(void*)out->data + (size_t)i * channels + first);
    }
  }
  return TIGRIS_OK;
}

tigris_status tigris_global_average_pool_rows_s8(const tigris_call* call) {
  const tigris_view* in = &call->in[0];
  const tigris_shape4 si = tigris_view_shape(in);
  const uint32_t channels = (uint32_t)si.c;
  const int32_t height = tigris_dims(call->plan, in->tensor)[1];
  int32_t* sums = (int32_t*)(void*)call->out[0].data;
  uint32_t h;
  if (in->first == 0)
    memset(sums, 0, channels * sizeof *sums);
  for (h = in->first; h < in->first + in->rows; ++h)
    addRow(&si, tigris_row_s8(in, h), channels, sums);
  if (h == (uint32_t)height)
    averageSums(call, height * si.w, sums, channels, (int8_t*)(void*)sums);
  return TIGRIS_OK;
}
