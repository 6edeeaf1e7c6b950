/* Slices, transpositions and copies: outputs whose elements are copies of single input elements. */
#include <string.h>

#include "kernels.h"
#include "walk.h"

/* Writes the output's rows from input 0 along the walk. */
static void copyWalk(const tigris_call* call, tigris_walk* w) {
  const uint32_t size = tigris_element_size(call->out[0].tensor->dtype);
  const tigris_span span = tigris_span_of(&call->out[0]);
  uint8_t* y = call->out[0].data;
  uint32_t n;
  tigris_walk_collapse(w);
  for (tigris_walk_start(w, span.begin, span.count); w->left != 0; tigris_walk_advance(w, n)) {
    n = tigris_walk_run(w);
    tigris_copy_strided(y, tigris_element(&call->in[0], (uint32_t)w->at[0], size), n,
                        w->stride[0][w->rank - 1], size);
    y += (size_t)n * size;
  }
}

tigris_status tigris_slice(const tigris_call* call) {
  const tigris_slice_params* p = (const tigris_slice_params*)call->params;
  int32_t strides[TIGRIS_MAX_RANK];
  tigris_walk w;
  uint32_t i;
  tigris_strides(&call->in[0], strides);
  tigris_walk_init(&w, &call->out[0]);
  for (i = 0; i < w.rank; ++i) {
    w.origin[0] += p->starts[i] * strides[i];
    /* the step of an axis of size 1 is arbitrary and unused */
    w.stride[0][i] = w.dim[i] == 1 ? 0 : p->steps[i] * strides[i];
  }
  copyWalk(call, &w);
  return TIGRIS_OK;
}

tigris_status tigris_transpose(const tigris_call* call) {
  const tigris_transpose_params* p = (const tigris_transpose_params*)call->params;
  int32_t strides[TIGRIS_MAX_RANK];
  tigris_walk w;
  uint32_t i;
  tigris_strides(&call->in[0], strides);
  tigris_walk_init(&w, &call->out[0]);
  for (i = 0; i < w.rank; ++i)
    w.stride[0][i] = strides[call->plan->ints[p->perm + i]];
  copyWalk(call, &w);
  return TIGRIS_OK;
}

tigris_status tigris_reshape(const tigris_call* call) {
  const uint32_t size = tigris_element_size(call->out[0].tensor->dtype);
  const tigris_span span = tigris_span_of(&call->out[0]);
  const uint8_t* x = tigris_element(&call->in[0], span.begin, size);
  if (x != call->out[0].data)
    memcpy(call->out[0].data, x, (size_t)span.count * size);
  return TIGRIS_OK;
}
