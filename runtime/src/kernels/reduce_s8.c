/* int8 reductions over any set of axes: mean, maximum, minimum. */
#include <string.h>

#include "fixed_point.h"
#include "kernels.h"
#include "reduce.h"

#define BLOCK TIGRIS_REDUCE_BLOCK

static void accumulate(uint32_t kind, int32_t* acc, uint32_t block, const int8_t* x, uint32_t n,
                       int32_t step, int32_t side) {
  uint32_t i;
  uint32_t c;
  for (i = 0; i < n; ++i) {
    const int8_t* at = x + (ptrdiff_t)i * step;
    for (c = 0; c < block; ++c) {
      const int32_t v = at[(ptrdiff_t)c * side];
      if (kind == TIGRIS_REDUCE_MEAN)
        acc[c] = tigris_add_wrap(acc[c], v);
      else if (kind == TIGRIS_REDUCE_MAX)
        acc[c] = v > acc[c] ? v : acc[c];
      else
        acc[c] = v < acc[c] ? v : acc[c];
    }
  }
}

static void begin(uint32_t kind, int32_t* acc, uint32_t block) {
  uint32_t c;
  for (c = 0; c < block; ++c)
    acc[c] = kind == TIGRIS_REDUCE_MEAN ? 0 : (kind == TIGRIS_REDUCE_MAX ? -128 : 127);
}

/* Accumulates all elements of the view that belong to a block of outputs. */
static void add(const tigris_view* x, tigris_reduction_walks* w, uint32_t kind, int32_t* acc,
                uint32_t block) {
  const int32_t side = w->kept.stride[0][w->kept.rank - 1];
  uint32_t n;
  for (tigris_walk_start(&w->reduced, 0, w->count); w->reduced.left != 0;
       tigris_walk_advance(&w->reduced, n)) {
    const uint32_t at = (uint32_t)(w->kept.at[0] + w->reduced.at[0]);
    n = tigris_walk_run(&w->reduced);
    accumulate(kind, acc, block, (const int8_t*)(const void*)tigris_element(x, at, 1), n,
               w->reduced.stride[0][w->reduced.rank - 1], side);
  }
}

/* The results of a block of outputs that reduce `count` elements each. */
static void finish(const tigris_call* call, const int32_t* acc, uint32_t block, uint32_t count,
                   int8_t* y) {
  const tigris_reduce_params* p = (const tigris_reduce_params*)call->params;
  const int32_t inZero = tigris_zero_point(call->plan, call->in[0].tensor);
  const int32_t outZero = tigris_zero_point(call->plan, call->out[0].tensor);
  const int32_t* pair = p->requant == TIGRIS_NONE ? NULL : call->plan->requant + p->requant;
  const int even = tigris_rounds_even(call->op);
  uint32_t c;
  for (c = 0; c < block; ++c) {
    int32_t v = acc[c];
    if (pair != NULL) {
      v = (int32_t)((uint32_t)v - count * (uint32_t)inZero);
      v = tigris_scale_s8(even, v, pair[0], pair[1], outZero, -128, 127);
    }
    y[c] = (int8_t)v;
  }
}

tigris_status tigris_reduce_s8(const tigris_call* call) {
  const tigris_reduce_params* p = (const tigris_reduce_params*)call->params;
  const tigris_span span = tigris_span_of(&call->out[0]);
  int8_t* y = (int8_t*)(void*)call->out[0].data;
  tigris_reduction_walks w;
  uint32_t block;
  tigris_reduction_init(&w, &call->in[0], p->axes);
  for (tigris_walk_start(&w.kept, span.begin, span.count); w.kept.left != 0;
       tigris_walk_advance(&w.kept, block), y += block) {
    int32_t acc[BLOCK];
    block = tigris_reduction_block(&w);
    begin(p->kind, acc, block);
    add(&call->in[0], &w, p->kind, acc, block);
    finish(call, acc, block, w.count, y);
  }
  return TIGRIS_OK;
}

/* Maxima and minima are int8 from row to row, and sums of means int32. */
tigris_status tigris_reduce_rows_s8(const tigris_call* call) {
  const tigris_reduce_params* p = (const tigris_reduce_params*)call->params;
  const tigris_view* x = &call->in[0];
  const uint32_t height = (uint32_t)tigris_dims(call->plan, x->tensor)[1];
  const int isSum = p->kind == TIGRIS_REDUCE_MEAN;
  int32_t* sums = (int32_t*)(void*)call->out[0].data;
  int8_t* y = (int8_t*)(void*)call->out[0].data;
  tigris_reduction_walks w;
  uint32_t block;
  for (tigris_reduction_rows(&w, x, p->axes); w.kept.left != 0;
       tigris_walk_advance(&w.kept, block), sums += block, y += block) {
    int32_t acc[BLOCK];
    uint32_t c;
    block = tigris_reduction_block(&w);
    if (x->first == 0)
      begin(p->kind, acc, block);
    for (c = 0; x->first != 0 && c < block; ++c)
      acc[c] = isSum ? sums[c] : y[c];
    add(x, &w, p->kind, acc, block);
    if (x->first + x->rows == height || !isSum)
      finish(call, acc, block, w.count / x->rows * height, y);
    else
      memcpy(sums, acc, block * sizeof *sums);
  }
  return TIGRIS_OK;
}
