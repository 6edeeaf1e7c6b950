/* Float reductions over any set of axes; elements are taken in ascending order. */
#include <math.h>

#include "kernels.h"
#include "reduce.h"

#define BLOCK TIGRIS_REDUCE_BLOCK

/* Accumulates x[i * step + c * side] in acc[c] for i < n, c < block. */
#define ACCUMULATE(EXPRESSION)                                                                     \
  for (i = 0; i < n; ++i) {                                                                        \
    const float* at = x + (ptrdiff_t)i * step;                                                     \
    for (c = 0; c < block; ++c) {                                                                  \
      const float v = at[(ptrdiff_t)c * side];                                                     \
      acc[c] = EXPRESSION;                                                                         \
    }                                                                                              \
  }                                                                                                \
  break

static void accumulate(uint32_t kind, float* acc, const float* shift, uint32_t block,
                       const float* x, uint32_t n, int32_t step, int32_t side) {
  uint32_t i;
  uint32_t c;
  switch (kind) {
  case TIGRIS_REDUCE_MAX:
    ACCUMULATE(v > acc[c] ? v : acc[c]);
  case TIGRIS_REDUCE_MIN:
    ACCUMULATE(v < acc[c] ? v : acc[c]);
  case TIGRIS_REDUCE_PROD:
    ACCUMULATE(acc[c] * v);
  case TIGRIS_REDUCE_L1:
    ACCUMULATE(acc[c] + fabsf(v));
  case TIGRIS_REDUCE_L2:
  case TIGRIS_REDUCE_SUM_SQUARE:
    ACCUMULATE(acc[c] + v * v);
  case TIGRIS_REDUCE_LOG_SUM_EXP:
    ACCUMULATE(acc[c] + expf(v - shift[c]));
  default:
    ACCUMULATE(acc[c] + v);
  }
}

static float start(uint32_t kind) {
  switch (kind) {
  case TIGRIS_REDUCE_MAX:
    return -HUGE_VALF;
  case TIGRIS_REDUCE_MIN:
    return HUGE_VALF;
  case TIGRIS_REDUCE_PROD:
    return 1.0f;
  default:
    return 0.0f;
  }
}

static float finish(uint32_t kind, float acc, float shift, uint32_t count) {
  switch (kind) {
  case TIGRIS_REDUCE_MEAN:
    return acc / (float)count;
  case TIGRIS_REDUCE_L2:
    return sqrtf(acc);
  case TIGRIS_REDUCE_LOG_SUM:
    return logf(acc);
  case TIGRIS_REDUCE_LOG_SUM_EXP:
    return shift + logf(acc);
  default:
    return acc;
  }
}

static void begin(uint32_t kind, float* acc, uint32_t block) {
  uint32_t c;
  for (c = 0; c < block; ++c)
    acc[c] = start(kind);
}

/* Accumulates all elements of the view that belong to a block of outputs. */
static void add(const tigris_view* x, tigris_reduction_walks* w, uint32_t kind, float* acc,
                const float* shift, uint32_t block) {
  const int32_t side = w->kept.stride[0][w->kept.rank - 1];
  uint32_t n;
  for (tigris_walk_start(&w->reduced, 0, w->count); w->reduced.left != 0;
       tigris_walk_advance(&w->reduced, n)) {
    const uint32_t at = (uint32_t)(w->kept.at[0] + w->reduced.at[0]);
    n = tigris_walk_run(&w->reduced);
    accumulate(kind, acc, shift, block, (const float*)(const void*)tigris_element(x, at, 4), n,
               w->reduced.stride[0][w->reduced.rank - 1], side);
  }
}

tigris_status tigris_reduce_f32(const tigris_call* call) {
  const tigris_reduce_params* p = (const tigris_reduce_params*)call->params;
  const tigris_span span = tigris_span_of(&call->out[0]);
  float* y = (float*)(void*)call->out[0].data;
  tigris_reduction_walks w;
  uint32_t block;
  tigris_reduction_init(&w, &call->in[0], p->axes);
  for (tigris_walk_start(&w.kept, span.begin, span.count); w.kept.left != 0;
       tigris_walk_advance(&w.kept, block)) {
    float acc[BLOCK];
    float shift[BLOCK] = {0.0f};
    uint32_t c;
    block = tigris_reduction_block(&w);
    if (p->kind == TIGRIS_REDUCE_LOG_SUM_EXP) {
      begin(TIGRIS_REDUCE_MAX, shift, block);
      add(&call->in[0], &w, TIGRIS_REDUCE_MAX, shift, NULL, block);
    }
    for (c = 0; c < block; ++c)
      shift[c] = isfinite(shift[c]) ? shift[c] : 0.0f;
    begin(p->kind, acc, block);
    add(&call->in[0], &w, p->kind, acc, shift, block);
    for (c = 0; c < block; ++c)
      *y++ = finish(p->kind, acc[c], shift[c], w.count);
  }
  return TIGRIS_OK;
}

tigris_status tigris_reduce_rows_f32(const tigris_call* call) {
  const tigris_reduce_params* p = (const tigris_reduce_params*)call->params;
  const tigris_view* x = &call->in[0];
  const uint32_t height = (uint32_t)tigris_dims(call->plan, x->tensor)[1];
  float* sums = (float*)(void*)call->out[0].data;
  tigris_reduction_walks w;
  uint32_t block;
  for (tigris_reduction_rows(&w, x, p->axes); w.kept.left != 0;
       tigris_walk_advance(&w.kept, block), sums += block) {
    uint32_t c;
    block = tigris_reduction_block(&w);
    if (x->first == 0)
      begin(p->kind, sums, block);
    add(x, &w, p->kind, sums, NULL, block);
    for (c = 0; x->first + x->rows == height && c < block; ++c)
      sums[c] = finish(p->kind, sums[c], 0.0f, w.count / x->rows * height);
  }
  return TIGRIS_OK;
}
