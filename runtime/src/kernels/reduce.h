/* Splits a reduction into a walk over kept axes and a walk over reduced ones. */
#ifndef TIGRIS_REDUCE_H
#define TIGRIS_REDUCE_H

#include "walk.h"

/* Outputs whose accumulators are held at once; they are adjacent in the input. */
#define TIGRIS_REDUCE_BLOCK 16

typedef struct tigris_reduction_walks {
  tigris_walk kept; /* over the output; input 0: first element of each reduction */
  /* over the elements of one reduction; input 0: relative to its first element */
  tigris_walk reduced;
  uint32_t count; /* elements of one reduction */
} tigris_reduction_walks;

static inline void tigris_reduction_init(tigris_reduction_walks* r, const tigris_view* x,
                                         uint32_t axes) {
  const int32_t* dims = x->dims;
  int32_t strides[TIGRIS_MAX_RANK];
  uint32_t i;
  tigris_strides(x, strides);
  tigris_walk_init(&r->kept, x);
  tigris_walk_init(&r->reduced, x);
  r->count = 1;
  for (i = 0; i < x->tensor->rank; ++i) {
    const int isReduced = (int)((axes >> i) & 1u);
    r->kept.dim[i] = isReduced ? 1 : dims[i];
    r->kept.stride[0][i] = isReduced ? 0 : strides[i];
    r->reduced.dim[i] = isReduced ? dims[i] : 1;
    r->reduced.stride[0][i] = isReduced ? strides[i] : 0;
    if (isReduced)
      r->count *= (uint32_t)dims[i];
  }
  tigris_walk_collapse(&r->kept);
  tigris_walk_collapse(&r->reduced);
}

/* As init, for rows of an image (find_sink in tigris_backend.h). Also starts the walk over all
 * outputs. */
static inline void tigris_reduction_rows(tigris_reduction_walks* r, const tigris_view* x,
                                         uint32_t axes) {
  const tigris_span span = tigris_span_of(x);
  tigris_reduction_init(r, x, axes);
  r->kept.origin[0] = (int32_t)span.begin;
  tigris_walk_start(&r->kept, 0, span.count / r->count);
}

/* Number of outputs of the next block. */
static inline uint32_t tigris_reduction_block(const tigris_reduction_walks* r) {
  const uint32_t run = tigris_walk_run(&r->kept);
  return run < TIGRIS_REDUCE_BLOCK ? run : TIGRIS_REDUCE_BLOCK;
}

#endif /* TIGRIS_REDUCE_H */
