/* Walks a range of an output tensor line by line and tracks the matching positions of up to three
 * inputs.
 *
 * All N-dimensional kernels use it. The caller sets the output's dimensions and each input's stride
 * per axis (0 for a broadcast axis), merges axes where possible, and then processes runs along the
 * last axis:
 *
 *   for (tigris_walk_start(&w, begin, count); w.left != 0; tigris_walk_advance(&w, run)) {
 *     run = tigris_walk_run(&w);   ... w.at[0], w.stride[0][w.rank - 1] ...
 *   }
 *
 * Example: y[2,3] = a[2,3] + b[3] has dimensions {2, 3}, strides {3, 1} for a and {0, 1} for b, and
 * two runs of 3 elements. y[2,3] = a[2,3] + c[2,3] collapses to one run of 6. */
#ifndef TIGRIS_WALK_H
#define TIGRIS_WALK_H

#include "view.h"

#define TIGRIS_WALK_INPUTS 3

typedef struct tigris_walk {
  uint32_t rank;                                       /* >= 1 after collapsing */
  int32_t dim[TIGRIS_MAX_RANK];                        /* of the output */
  int32_t stride[TIGRIS_WALK_INPUTS][TIGRIS_MAX_RANK]; /* elements per step, may be negative */
  int32_t origin[TIGRIS_WALK_INPUTS];                  /* input element for index 0 on all axes */
  int32_t index[TIGRIS_MAX_RANK];
  int32_t at[TIGRIS_WALK_INPUTS]; /* current element of each input */
  uint32_t left;                  /* elements still to visit */
} tigris_walk;

/* Sets the dimensions of `output`, all strides to 0 and all origins to 0. */
void tigris_walk_init(tigris_walk* w, const tigris_view* output);
/* Sets the strides of input `k` for numpy broadcasting to the walk's dimensions. */
void tigris_walk_broadcast(tigris_walk* w, uint32_t k, const tigris_view* input);
/* Starts the walk over the rows of output 0 of a call, with its first `inputs` inputs broadcast. */
void tigris_walk_begin(tigris_walk* w, const tigris_call* call, uint32_t inputs);
/* Row-major strides of the dimensions of a view. */
void tigris_strides(const tigris_view* view, int32_t* strides);
/* Merges adjacent axes over which all inputs advance with a single stride; drops axes of size 1. */
void tigris_walk_collapse(tigris_walk* w);
/* Positions the walk at flat output element `begin`. */
void tigris_walk_start(tigris_walk* w, uint32_t begin, uint32_t count);
/* Number of elements to the end of the current line or of the range. */
uint32_t tigris_walk_run(const tigris_walk* w);
void tigris_walk_advance(tigris_walk* w, uint32_t run);

/* Address of flat element `element` of a view's tensor; its row must be in the view. */
static inline uint8_t* tigris_element(const tigris_view* view, uint32_t element, uint32_t size) {
  return view->data + ((size_t)element * size - (size_t)view->first * view->pitch);
}

/* Address of the current element of input k, with `size` bytes per element; *step: bytes from one
 * element of the run to the next. */
static inline const uint8_t* tigris_walk_input(const tigris_walk* w, uint32_t k,
                                               const tigris_view* input, uint32_t size,
                                               ptrdiff_t* step) {
  *step = (ptrdiff_t)w->stride[k][w->rank - 1] * (ptrdiff_t)size;
  return tigris_element(input, (uint32_t)w->at[k], size);
}

/* Copies n elements of `size` bytes (1, 2, 4 or 8) whose source elements are `stride` apart. */
void tigris_copy_strided(uint8_t* to, const uint8_t* from, uint32_t n, int32_t stride,
                         uint32_t size);

#endif /* TIGRIS_WALK_H */
