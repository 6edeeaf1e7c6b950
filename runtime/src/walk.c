/* The odometer loop of N-dimensional kernels. */
#include "walk.h"

#include <string.h>

void tigris_walk_init(tigris_walk* w, const tigris_view* output) {
  uint32_t i;
  memset(w, 0, sizeof *w);
  w->rank = output->tensor->rank;
  for (i = 0; i < w->rank; ++i)
    w->dim[i] = output->dims[i];
}

void tigris_strides(const tigris_view* view, int32_t* strides) {
  int32_t step = 1;
  uint32_t i;
  for (i = view->tensor->rank; i-- > 0;) {
    strides[i] = step;
    step *= view->dims[i];
  }
}

void tigris_walk_broadcast(tigris_walk* w, uint32_t k, const tigris_view* input) {
  const uint32_t rank = input->tensor->rank;
  int32_t strides[TIGRIS_MAX_RANK];
  uint32_t i;
  tigris_strides(input, strides);
  for (i = 0; i < rank; ++i)
    w->stride[k][w->rank - rank + i] = input->dims[i] == 1 ? 0 : strides[i];
}

void tigris_walk_begin(tigris_walk* w, const tigris_call* call, uint32_t inputs) {
  const tigris_span span = tigris_span_of(&call->out[0]);
  uint32_t k;
  tigris_walk_init(w, &call->out[0]);
  for (k = 0; k < inputs; ++k)
    tigris_walk_broadcast(w, k, &call->in[k]);
  tigris_walk_collapse(w);
  tigris_walk_start(w, span.begin, span.count);
}

void tigris_walk_collapse(tigris_walk* w) {
  uint32_t out = 0; /* axes kept so far, stored from the front */
  uint32_t i;
  uint32_t k;
  for (i = 0; i < w->rank; ++i) {
    int joins = out > 0;
    if (w->dim[i] == 1)
      continue;
    for (k = 0; joins && k < TIGRIS_WALK_INPUTS; ++k)
      joins = w->stride[k][out - 1] == w->stride[k][i] * w->dim[i];
    if (joins) {
      w->dim[out - 1] *= w->dim[i];
    } else {
      w->dim[out] = w->dim[i];
      ++out;
    }
    for (k = 0; k < TIGRIS_WALK_INPUTS; ++k)
      w->stride[k][out - 1] = w->stride[k][i];
  }
  if (out == 0) {
    w->dim[0] = 1;
    for (k = 0; k < TIGRIS_WALK_INPUTS; ++k)
      w->stride[k][0] = 0;
    out = 1;
  }
  w->rank = out;
}

void tigris_walk_start(tigris_walk* w, uint32_t begin, uint32_t count) {
  uint32_t rest = begin;
  uint32_t i;
  uint32_t k;
  for (k = 0; k < TIGRIS_WALK_INPUTS; ++k)
    w->at[k] = w->origin[k];
  for (i = w->rank; i-- > 0;) {
    w->index[i] = (int32_t)(rest % (uint32_t)w->dim[i]);
    rest /= (uint32_t)w->dim[i];
    for (k = 0; k < TIGRIS_WALK_INPUTS; ++k)
      w->at[k] += w->index[i] * w->stride[k][i];
  }
  w->left = count;
}

uint32_t tigris_walk_run(const tigris_walk* w) {
  const uint32_t line = (uint32_t)(w->dim[w->rank - 1] - w->index[w->rank - 1]);
  return line < w->left ? line : w->left;
}

void tigris_walk_advance(tigris_walk* w, uint32_t run) {
  uint32_t i = w->rank - 1;
  uint32_t k;
  w->left -= run;
  w->index[i] += (int32_t)run;
  for (k = 0; k < TIGRIS_WALK_INPUTS; ++k)
    w->at[k] += (int32_t)run * w->stride[k][i];
  while (i > 0 && w->index[i] == w->dim[i]) {
    w->index[i] = 0;
    ++w->index[i - 1];
    for (k = 0; k < TIGRIS_WALK_INPUTS; ++k)
      w->at[k] += w->stride[k][i - 1] - w->dim[i] * w->stride[k][i];
    --i;
  }
}

void tigris_copy_strided(uint8_t* to, const uint8_t* from, uint32_t n, int32_t stride,
                         uint32_t size) {
  const ptrdiff_t step = (ptrdiff_t)stride * (ptrdiff_t)size;
  uint32_t i;
  if (stride == 1) {
    memcpy(to, from, (size_t)n * size);
    return;
  }
  if (size == 1) {
    for (i = 0; i < n; ++i)
      to[i] = from[(ptrdiff_t)i * step];
  } else if (size == 2) {
    for (i = 0; i < n; ++i)
      memcpy(to + (size_t)i * 2, from + (ptrdiff_t)i * step, 2);
  } else if (size == 4) {
    for (i = 0; i < n; ++i)
      memcpy(to + (size_t)i * 4, from + (ptrdiff_t)i * step, 4);
  } else {
    for (i = 0; i < n; ++i)
      memcpy(to + (size_t)i * 8, from + (ptrdiff_t)i * step, 8);
  }
}
