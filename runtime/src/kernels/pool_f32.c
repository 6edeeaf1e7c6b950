/* Float pooling: maximum, average and global average. */
#include <math.h>

#include "dense_f32.h"
#include "kernels.h"
#include "window.h"

/* Taps of a window inside the padded input, for averages that count padding. */
static int32_t paddedTaps(const tigris_window* w, int32_t dilation, int32_t kernel, int32_t size,
                          int32_t before, int32_t after) {
  int32_t begin;
  int32_t end;
  tigris_taps(w->start + before, dilation, size + before + after, kernel, &begin, &end);
  return end - begin;
}

static void maxPixel(const tigris_call* call, const tigris_shape4* in, uint32_t batchRow,
                     const tigris_window* wy, const tigris_window* wx, float* y) {
  const tigris_pool_params* p = (const tigris_pool_params*)call->params;
  const uint32_t channels = (uint32_t)in->c;
  int32_t ky;
  int32_t kx;
  uint32_t c;
  for (c = 0; c < channels; ++c)
    y[c] = -HUGE_VALF;
  for (ky = wy->begin; ky < wy->end; ++ky) {
    const float* row =
        tigris_row_f32(&call->in[0], batchRow + (uint32_t)(wy->start + ky * p->dilation_h));
    for (kx = wx->begin; kx < wx->end; ++kx) {
      const float* x = row + (size_t)(uint32_t)(wx->start + kx * p->dilation_w) * channels;
      for (c = 0; c < channels; ++c)
        y[c] = x[c] > y[c] ? x[c] : y[c];
    }
  }
}

static void averagePixel(const tigris_call* call, const tigris_shape4* in, uint32_t batchRow,
                         const tigris_window* wy, const tigris_window* wx, float* y) {
  const tigris_pool_params* p = (const tigris_pool_params*)call->params;
  const uint32_t channels = (uint32_t)in->c;
  int32_t tapsH = wy->end - wy->begin;
  int32_t tapsW = wx->end - wx->begin;
  float divisor;
  int32_t ky;
  int32_t kx;
  uint32_t c;
  if (p->flags & TIGRIS_POOL_COUNT_PAD) {
    tapsH = paddedTaps(wy, p->dilation_h, p->kernel_h, in->h, p->pad_top, p->pad_bottom);
    tapsW = paddedTaps(wx, p->dilation_w, p->kernel_w, in->w, p->pad_left, p->pad_right);
  }
  divisor = (float)tapsH * (float)tapsW;
  for (c = 0; c < channels; ++c)
    y[c] = 0.0f;
  for (ky = wy->begin; ky < wy->end; ++ky) {
    const float* row =
        tigris_row_f32(&call->in[0], batchRow + (uint32_t)(wy->start + ky * p->dilation_h));
    for (kx = wx->begin; kx < wx->end; ++kx) {
      const float* x = row + (size_t)(uint32_t)(wx->start + kx * p->dilation_w) * channels;
      for (c = 0; c < channels; ++c)
        y[c] += x[c];
    }
  }
  for (c = 0; c < channels; ++c)
    y[c] /= divisor;
}

typedef void (*PixelF32)(const tigris_call* call, const tigris_shape4* in, uint32_t batchRow,
                         const tigris_window* wy, const tigris_window* wx, float* y);

static void eachPixel(const tigris_call* call, PixelF32 pixel) {
  const tigris_pool_params* p = (const tigris_pool_params*)call->params;
  const tigris_view* out = &call->out[0];
  const tigris_shape4 si = tigris_view_shape(&call->in[0]);
  const tigris_shape4 so = tigris_view_shape(out);
  uint32_t r;
  for (r = out->first; r < out->first + out->rows; ++r) {
    const tigris_window wy = tigris_window_at((int32_t)(r % (uint32_t)so.h), p->stride_h,
                                              p->pad_top, p->dilation_h, p->kernel_h, si.h);
    float* y = (float*)(void*)tigris_row(out, r);
    int32_t x;
    for (x = 0; x < so.w; ++x) {
      const tigris_window wx =
          tigris_window_at(x, p->stride_w, p->pad_left, p->dilation_w, p->kernel_w, si.w);
      pixel(call, &si, r / (uint32_t)so.h * (uint32_t)si.h, &wy, &wx, y);
      tigris_store_f32(y, y, (uint32_t)so.c, p->lo.f, p->hi.f);
      y += so.c;
    }
  }
}

tigris_status tigris_max_pool_f32(const tigris_call* call) {
  eachPixel(call, maxPixel);
  return TIGRIS_OK;
}

tigris_status tigris_average_pool_f32(const tigris_call* call) {
  eachPixel(call, averagePixel);
  return TIGRIS_OK;
}

/* Adds a row of pixels to sums. */
static void addRow(const tigris_shape4* in, const float* x, float* sums) {
  int32_t w;
  int32_t c;
  for (w = 0; w < in->w; ++w, x += in->c) {
    for (c = 0; c < in->c; ++c)
      sums[c] += x[c];
  }
}

/* Turns sums over `height` rows into averages. */
static void averageSums(const tigris_call* call, const tigris_shape4* in, int32_t height,
                        float* y) {
  const tigris_global_pool_params* p = (const tigris_global_pool_params*)call->params;
  int32_t c;
  for (c = 0; c < in->c; ++c)
    y[c] = tigris_clamp1_f32(y[c] / ((float)height * (float)in->w), p->lo.f, p->hi.f);
}

tigris_status tigris_global_average_pool_f32(const tigris_call* call) {
  const tigris_view* out = &call->out[0];
  const tigris_shape4 si = tigris_view_shape(&call->in[0]);
  const uint32_t channels = (uint32_t)si.c;
  const uint32_t n = out->rows * (out->pitch / 4) / channels; /* images in the output view */
  const uint32_t first = out->first * (out->pitch / 4) / channels;
  uint32_t i;
  for (i = 0; i < n; ++i) {
    float* y = (float*)(void*)out->data + (size_t)i * channels;
    uint32_t c;
    int32_t h;
    for (c = 0; c < channels; ++c)
      y[c] = 0.0f;
    for (h = 0; h < si.h; ++h)
      addRow(&si, tigris_row_f32(&call->in[0], (first + i) * (uint32_t)si.h + (uint32_t)h), y);
    averageSums(call, &si, si.h, y);
  }
  return TIGRIS_OK;
}

tigris_status tigris_global_average_pool_rows_f32(const tigris_call* call) {
  const tigris_view* in = &call->in[0];
  const tigris_shape4 si = tigris_view_shape(in);
  const int32_t height = tigris_dims(call->plan, in->tensor)[1];
  float* sums = (float*)(void*)call->out[0].data;
  uint32_t h;
  int32_t c;
  for (c = 0; in->first == 0 && c < si.c; ++c)
    sums[c] = 0.0f;
  for (h = in->first; h < in->first + in->rows; ++h)
    addRow(&si, tigris_row_f32(in, h), sums);
  if (h == (uint32_t)height)
    averageSums(call, &si, height, sums);
  return TIGRIS_OK;
}
