/* Float convolutions and matrix products: every row of outputs as tiles of pixels and channels. */
#include <math.h>

#include "kernels/kernels.h"
#include "kernels/window.h"
#include "product_f32.h"
#include "walk.h"

static const float* floats(const tigris_view* view) {
  return (const float*)(const void*)view->data;
}

static const float* biasOf(const tigris_call* call) {
  return call->op->inputs > 2 ? floats(&call->in[2]) : NULL;
}

/* Pixels multiplied by all blocks of channels in turn, while their inputs stay in the cache. */
#define NEAR_PIXELS 60u

/* ---- convolution */

typedef struct Conv {
  const tigris_conv_params* p;
  tigris_shape4 in;
  tigris_shape4 out;
  uint32_t groupIn;
  uint32_t groupOut;
  size_t filterRow; /* floats of weights per kernel row */
  int joined;       /* taps of a kernel row are contiguous in the input */
  Product product;
} Conv;

/* Pixels [x, x + n) of an output row; all have the window `wx` relative to their own start. */
static void pixels(Conv* k, int32_t x, uint32_t n, const tigris_window* wx, const float* weights,
                   const float* bias, float* y) {
  const size_t inC = (size_t)(uint32_t)k->in.c;
  const int isEmpty = wx->begin >= wx->end;
  const size_t first =
      isEmpty ? 0 : (size_t)(uint32_t)(wx->start + wx->begin * k->p->dilation_w) * inC;
  Product* t = &k->product;
  uint32_t g;
  t->columns = isEmpty ? 0 : (uint32_t)(wx->end - wx->begin);
  t->run = k->groupIn;
  if (k->joined) {
    t->run *= t->columns;
    t->columns = 1;
  }
  weights += isEmpty ? 0 : (uint32_t)wx->begin * t->weightColumn;
  for (g = 0; g < (uint32_t)k->p->groups; ++g)
    multiply(t, first + (size_t)g * k->groupIn, n,
             weights + (size_t)g * (uint32_t)k->p->kernel_h * k->filterRow,
             bias == NULL ? NULL : bias + (size_t)g * k->groupOut, k->groupOut,
             y + (size_t)(uint32_t)x * (uint32_t)k->out.c + (size_t)g * k->groupOut);
}

tigris_status TIGRIS_HOST_NAME(tigris_host_conv_f32)(const tigris_call* call) {
  const tigris_view* out = &call->out[0];
  Conv k;
  Product* t = &k.product;
  uint32_t r;
  k.p = (const tigris_conv_params*)call->params;
  if (k.p->kernel_h > MAX_ROWS)
    return tigris_conv_f32(call);
  k.in = tigris_view_shape(&call->in[0]);
  k.out = tigris_view_shape(out);
  k.groupIn = (uint32_t)(k.in.c / k.p->groups);
  k.groupOut = (uint32_t)(k.out.c / k.p->groups);
  k.joined = k.p->groups == 1 && k.p->dilation_w == 1;
  t->weightStep = tigris_weight_row(call);
  t->weightColumn = k.groupIn * t->weightStep;
  t->weightRow = k.filterRow = (size_t)(uint32_t)k.p->kernel_w * t->weightColumn;
  t->columnStep = (size_t)(uint32_t)k.p->dilation_w * (uint32_t)k.in.c;
  t->pixelStep = (size_t)(uint32_t)k.p->stride_w * (uint32_t)k.in.c;
  t->outStep = (uint32_t)k.out.c;
  t->lo = k.p->lo.f;
  t->hi = k.p->hi.f;
  if (out->rows != 0 && tigris_host_isPointwise(call, k.p)) {
    const tigris_window wx = {0, 0, 1};
    const uint32_t count = out->rows * (uint32_t)k.out.w;
    uint32_t x;
    t->rowCount = 1;
    t->rows[0] = floats(&call->in[0]);
    for (x = 0; x < count; x += NEAR_PIXELS) {
      pixels(&k, (int32_t)x, count - x < NEAR_PIXELS ? count - x : NEAR_PIXELS, &wx,
             floats(&call->in[1]), biasOf(call), (float*)(void*)out->data);
      t->rows[0] += NEAR_PIXELS * t->pixelStep;
    }
    return TIGRIS_OK;
  }
  for (r = out->first; r < out->first + out->rows; ++r) {
    const uint32_t batchRow = r / (uint32_t)k.out.h * (uint32_t)k.in.h;
    const tigris_window wy = tigris_window_at((int32_t)(r % (uint32_t)k.out.h), k.p->stride_h,
                                              k.p->pad_top, k.p->dilation_h, k.p->kernel_h, k.in.h);
    const float* weights =
        floats(&call->in[1]) + (wy.begin < wy.end ? (size_t)(uint32_t)wy.begin * t->weightRow : 0);
    float* y = (float*)(void*)tigris_row(out, r);
    int32_t x;
    int32_t n;
    int32_t ky;
    t->rowCount = 0;
    for (ky = wy.begin; ky < wy.end; ++ky)
      t->rows[t->rowCount++] =
          tigris_row_f32(&call->in[0], batchRow + (uint32_t)(wy.start + ky * k.p->dilation_h));
    for (x = 0; x < k.out.w; x += n) {
      const tigris_window wx =
          tigris_window_at(x, k.p->stride_w, k.p->pad_left, k.p->dilation_w, k.p->kernel_w, k.in.w);
      n = tigris_host_alike(x, k.out.w, &wx, k.p, k.in.w);
      pixels(&k, x, (uint32_t)n, &wx, weights, biasOf(call), y);
    }
  }
  return TIGRIS_OK;
}

/* ---- products of lines */

/* y[m] = clamp(bias + x[m] * w) for `count` lines of k values; w[k + 1] is `step` weights after
 * w[k]. */
static void lines(const float* x, uint32_t count, uint32_t k, const float* w, size_t step,
                  const float* bias, uint32_t n, float lo, float hi, float* y) {
  Product t;
  t.rows[0] = x;
  t.rowCount = 1;
  t.columns = 1;
  t.run = k;
  t.columnStep = t.weightRow = t.weightColumn = 0;
  t.pixelStep = k;
  t.outStep = n;
  t.weightStep = step;
  t.lo = lo;
  t.hi = hi;
  multiply(&t, 0, count, w, bias, n, y);
}

tigris_status TIGRIS_HOST_NAME(tigris_host_fully_connected_f32)(const tigris_call* call) {
  const tigris_fc_params* p = (const tigris_fc_params*)call->params;
  const int32_t* dims = call->in[1].dims;
  const uint32_t k = (uint32_t)dims[0];
  const uint32_t n = (uint32_t)dims[1];
  const tigris_span span = tigris_span_of(&call->out[0]);
  const uint32_t first = span.begin / n;
  lines((const float*)(const void*)tigris_element(&call->in[0], first * k, 4), span.count / n, k,
        floats(&call->in[1]), tigris_weight_row(call), biasOf(call), n, p->lo.f, p->hi.f,
        (float*)(void*)tigris_element(&call->out[0], first * n, 4));
  return TIGRIS_OK;
}

/* Dimensions that give the layout of an operand: a constant may be a part of the tensor in the
 * plan. */
static const int32_t* layoutOf(const tigris_call* call, const tigris_view* operand) {
  const tigris_tensor* t = operand->tensor;
  return (t->flags & TIGRIS_TENSOR_CONST) != 0 ? tigris_dims(call->plan, t) : operand->dims;
}

/* First element of the matrix that batch `index` of the output uses; leading axes broadcast. */
static uint32_t matrixStart(const tigris_call* call, const tigris_view* operand, uint32_t index) {
  const tigris_view* out = &call->out[0];
  const int32_t* layout = layoutOf(call, operand);
  const uint32_t rank = operand->tensor->rank;
  uint32_t step = (uint32_t)layout[rank - 1] * (uint32_t)layout[rank - 2];
  uint32_t start = 0;
  uint32_t i;
  for (i = 3; i <= rank; ++i) {
    const uint32_t size = (uint32_t)out->dims[out->tensor->rank - i];
    if (operand->dims[rank - i] != 1)
      start += index % size * step;
    step *= (uint32_t)layout[rank - i];
    index /= size;
  }
  return start;
}

/* Only the transposed form runs on the reference kernels, because the choice must not depend on how
 * an op is split. */
tigris_status TIGRIS_HOST_NAME(tigris_host_matmul_f32)(const tigris_call* call) {
  const tigris_matmul_params* p = (const tigris_matmul_params*)call->params;
  const tigris_view* a = &call->in[0];
  const tigris_view* b = &call->in[1];
  const tigris_view* y = &call->out[0];
  const uint32_t rank = y->tensor->rank;
  const uint32_t m = (uint32_t)y->dims[rank - 2];
  const uint32_t n = (uint32_t)y->dims[rank - 1];
  const uint32_t k = (uint32_t)a->dims[a->tensor->rank - 1];
  const uint32_t row = (uint32_t)layoutOf(call, b)[b->tensor->rank - 1];
  const tigris_span span = tigris_span_of(y);
  const uint32_t past = (span.begin + span.count) / n;
  uint32_t line;
  uint32_t count;
  if ((p->flags & TIGRIS_MATMUL_TRANSPOSE_B) != 0)
    return tigris_matmul_f32(call);
  for (line = span.begin / n; line < past; line += count) {
    const uint32_t batch = line / m;
    count = m - line % m < past - line ? m - line % m : past - line;
    lines(
        (const float*)(const void*)tigris_element(a, matrixStart(call, a, batch) + line % m * k, 4),
        count, k, (const float*)(const void*)tigris_element(b, matrixStart(call, b, batch), 4), row,
        NULL, n, -HUGE_VALF, HUGE_VALF, (float*)(void*)tigris_element(y, line * n, 4));
  }
  return TIGRIS_OK;
}
