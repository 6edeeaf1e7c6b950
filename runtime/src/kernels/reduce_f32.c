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

/* One pass over all elements of a block of outputs. */
static void pass(const tigris_call* call, tigris_reduction_walks* w, uint32_t kind, float* acc,
                 const float* shift, uint32_t block, uint32_t origin, int32_t side) {
  uint32_t c;
  uint32_t n;
  for (c = 0; c < block; ++c)
    acc[c] = start(kind);
  for (tigris_walk_start(&w->reduced, 0, w->count); w->reduced.left != 0;
       tigris_walk_advance(&w->reduced, n)) {
    const uint32_t at = origin + (uint32_t)w->reduced.at[0];
    n = tigris_walk_run(&w->reduced);
    accumulate(kind, acc, shift, block,
               (const float*)(const void*)tigris_element(&call->in[0], at, 4), n,
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
    const int32_t side = w.kept.stride[0][w.kept.rank - 1];
    float acc[BLOCK];
    float shift[BLOCK] = {0.0f};
    uint32_t c;
    block = tigris_walk_run(&w.kept);
    block = block < BLOCK ? block : BLOCK;
    if (p->kind == TIGRIS_REDUCE_LOG_SUM_EXP)
      pass(call, &w, TIGRIS_REDUCE_MAX, shift, shift, block, (uint32_t)w.kept.at[0], side);
    for (c = 0; c < block; ++c)
      shift[c] = isfinite(shift[c]) ? shift[c] : 0.0f;
    pass(call, &w, p->kind, acc, shift, block, (uint32_t)w.kept.at[0], side);
    for (c = 0; c < block; ++c)
      *y++ = finish(p->kind, acc[c], shift[c], w.count);
  }
  return TIGRIS_OK;
}
