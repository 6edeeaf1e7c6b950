/* int16 pooling and reductions: maximum, minimum and mean; means are rounded once. */
#include "kernels.h"
#include "reduce.h"
#include "wide_s16.h"
#include "window.h"

/* Constants that turn a sum of `count` values into their mean in the output's quantization. */
typedef struct MeanS16 {
  const int32_t* pair; /* multiplier; NULL: input and output have the same quantization */
  uint32_t pairShift;  /* distance from multiplier to shift */
  int32_t inZero;
  int32_t outZero;
  const tigris_op* op;
} MeanS16;

static MeanS16 meanOf(const tigris_call* call, uint32_t requant, uint32_t count) {
  MeanS16 m;
  m.pair = requant == TIGRIS_NONE ? NULL : call->plan->requant + requant;
  m.pairShift = count;
  m.inZero = tigris_zero_point(call->plan, call->in[0].tensor);
  m.outZero = tigris_zero_point(call->plan, call->out[0].tensor);
  m.op = call->op;
  return m;
}

/* sum / n rounded half away from zero, or by pair `index`. */
static int16_t meanValue(const MeanS16* m, int64_t sum, int64_t n, uint32_t index, int32_t lo,
                         int32_t hi) {
  if (m->pair == NULL)
    return tigris_store_s16((sum > 0 ? sum + n / 2 : sum - n / 2) / n, 0, lo, hi);
  return tigris_scale_s16(m->op, sum - n * m->inZero, m->pair[index], m->pair[m->pairShift + index],
                          m->outZero, lo, hi);
}

typedef struct PoolS16 {
  const tigris_call* call;
  const tigris_pool_params* p;
  tigris_shape4 in;
  MeanS16 mean;
} PoolS16;

/* The window of the current output pixel. */
typedef struct WindowS16 {
  uint32_t batchRow;
  tigris_window wy;
  tigris_window wx;
} WindowS16;

static int32_t inputAt(const PoolS16* k, const WindowS16* at, int32_t ky, int32_t kx, uint32_t c) {
  const uint32_t row = at->batchRow + (uint32_t)(at->wy.start + ky * k->p->dilation_h);
  const uint32_t column = (uint32_t)(at->wx.start + kx * k->p->dilation_w);
  return tigris_row_s16(&k->call->in[0], row)[(size_t)column * (uint32_t)k->in.c + c];
}

static int16_t maximum(const PoolS16* k, const WindowS16* at, uint32_t c) {
  int32_t most = INT16_MIN;
  int32_t ky;
  int32_t kx;
  for (ky = at->wy.begin; ky < at->wy.end; ++ky) {
    for (kx = at->wx.begin; kx < at->wx.end; ++kx) {
      const int32_t x = inputAt(k, at, ky, kx, c);
      most = x > most ? x : most;
    }
  }
  return tigris_store_s16(most, 0, k->p->lo.i, k->p->hi.i);
}

static int32_t paddedTaps(const tigris_window* w, int32_t dilation, int32_t kernel, int32_t size,
                          int32_t before, int32_t after) {
  int32_t begin;
  int32_t end;
  tigris_taps(w->start + before, dilation, size + before + after, kernel, &begin, &end);
  return end - begin;
}

static int16_t average(const PoolS16* k, const WindowS16* at, uint32_t c) {
  const tigris_pool_params* p = k->p;
  const int32_t taps = (at->wy.end - at->wy.begin) * (at->wx.end - at->wx.begin);
  int32_t divisor = taps;
  int64_t sum;
  int32_t ky;
  int32_t kx;
  if (p->flags & TIGRIS_POOL_COUNT_PAD)
    divisor = paddedTaps(&at->wy, p->dilation_h, p->kernel_h, k->in.h, p->pad_top, p->pad_bottom) *
              paddedTaps(&at->wx, p->dilation_w, p->kernel_w, k->in.w, p->pad_left, p->pad_right);
  sum = (int64_t)(divisor - taps) * k->mean.inZero; /* padding that counts is real 0 */
  for (ky = at->wy.begin; ky < at->wy.end; ++ky) {
    for (kx = at->wx.begin; kx < at->wx.end; ++kx)
      sum += inputAt(k, at, ky, kx, c);
  }
  return meanValue(&k->mean, sum, divisor, (uint32_t)divisor - 1u, p->lo.i, p->hi.i);
}

typedef int16_t (*ValueS16)(const PoolS16* k, const WindowS16* at, uint32_t c);

static tigris_status eachPixel(const tigris_call* call, ValueS16 value) {
  const tigris_pool_params* p = (const tigris_pool_params*)call->params;
  const tigris_view* out = &call->out[0];
  const tigris_shape4 so = tigris_view_shape(out);
  PoolS16 k;
  WindowS16 at;
  uint32_t r;
  k.call = call;
  k.p = p;
  k.in = tigris_view_shape(&call->in[0]);
  k.mean = meanOf(call, p->requant, p->requant_count);
  for (r = out->first; r < out->first + out->rows; ++r) {
    int16_t* y = (int16_t*)(void*)tigris_row(out, r);
    int32_t x;
    at.batchRow = r / (uint32_t)so.h * (uint32_t)k.in.h;
    at.wy = tigris_window_at((int32_t)(r % (uint32_t)so.h), p->stride_h, p->pad_top, p->dilation_h,
                             p->kernel_h, k.in.h);
    for (x = 0; x < so.w; ++x) {
      uint32_t c;
      at.wx = tigris_window_at(x, p->stride_w, p->pad_left, p->dilation_w, p->kernel_w, k.in.w);
      for (c = 0; c < (uint32_t)so.c; ++c)
        *y++ = value(&k, &at, c);
    }
  }
  return TIGRIS_OK;
}

tigris_status tigris_max_pool_s16(const tigris_call* call) { return eachPixel(call, maximum); }

tigris_status tigris_average_pool_s16(const tigris_call* call) { return eachPixel(call, average); }

tigris_status tigris_global_average_pool_s16(const tigris_call* call) {
  const tigris_global_pool_params* p = (const tigris_global_pool_params*)call->params;
  const tigris_view* out = &call->out[0];
  const tigris_shape4 si = tigris_view_shape(&call->in[0]);
  const MeanS16 mean = meanOf(call, p->requant, p->requant_count);
  const uint32_t channels = (uint32_t)si.c;
  const tigris_span span = tigris_span_of(out);
  int16_t* y = (int16_t*)(void*)out->data;
  uint32_t i;
  for (i = span.begin; i < span.begin + span.count; ++i) {
    const uint32_t firstRow = i / channels * (uint32_t)si.h;
    int64_t sum = 0;
    uint32_t h;
    int32_t w;
    for (h = 0; h < (uint32_t)si.h; ++h) {
      const int16_t* x = tigris_row_s16(&call->in[0], firstRow + h) + i % channels;
      for (w = 0; w < si.w; ++w)
        sum += x[(size_t)(uint32_t)w * channels];
    }
    *y++ = meanValue(&mean, sum, (int64_t)si.h * si.w, 0, p->lo.i, p->hi.i);
  }
  return TIGRIS_OK;
}

static int64_t accumulated(uint32_t kind, int64_t acc, int32_t x) {
  if (kind == TIGRIS_REDUCE_MEAN)
    return acc + x;
  if (kind == TIGRIS_REDUCE_MAX)
    return x > acc ? x : acc;
  return x < acc ? x : acc;
}

tigris_status tigris_reduce_s16(const tigris_call* call) {
  const tigris_reduce_params* p = (const tigris_reduce_params*)call->params;
  const tigris_span span = tigris_span_of(&call->out[0]);
  const MeanS16 mean = meanOf(call, p->requant, p->requant_count);
  int16_t* y = (int16_t*)(void*)call->out[0].data;
  tigris_reduction_walks w;
  tigris_reduction_init(&w, &call->in[0], p->axes);
  for (tigris_walk_start(&w.kept, span.begin, span.count); w.kept.left != 0;
       tigris_walk_advance(&w.kept, 1)) {
    int64_t acc = p->kind == TIGRIS_REDUCE_MEAN  ? 0
                  : p->kind == TIGRIS_REDUCE_MAX ? INT16_MIN
                                                 : INT16_MAX;
    uint32_t n;
    for (tigris_walk_start(&w.reduced, 0, w.count); w.reduced.left != 0;
         tigris_walk_advance(&w.reduced, n)) {
      const uint32_t at = (uint32_t)w.kept.at[0] + (uint32_t)w.reduced.at[0];
      const int16_t* x = (const int16_t*)(const void*)tigris_element(&call->in[0], at, 2);
      const int32_t step = w.reduced.stride[0][w.reduced.rank - 1];
      uint32_t i;
      n = tigris_walk_run(&w.reduced);
      for (i = 0; i < n; ++i)
        acc = accumulated(p->kind, acc, x[(ptrdiff_t)i * step]);
    }
    if (p->kind == TIGRIS_REDUCE_MEAN)
      *y++ = meanValue(&mean, acc, w.count, 0, INT16_MIN, INT16_MAX);
    else
      *y++ = (int16_t)acc;
  }
  return TIGRIS_OK;
}
