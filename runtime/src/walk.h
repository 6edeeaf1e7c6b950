/* Walks a range of an output tensor line by line and keeps up to three input positions beside it.
 *
 * Used by everything N-dimensional: the caller describes the output's dimensions and how far each input
 * moves per axis (0 for a broadcast axis), collapses what can be one axis, and then meets runs along the
 * last axis:
 *
 *   for (tigris_walk_start(&w, begin, count); w.left != 0; tigris_walk_advance(&w, run)) {
 *     run = tigris_walk_run(&w);   ... w.at[0], w.stride[0][w.rank - 1] ...
 *   }
 */
#ifndef TIGRIS_WALK_H
#define TIGRIS_WALK_H

#include "view.h"

#define TIGRIS_WALK_INPUTS 3

typedef struct tigris_walk {
  uint32_t rank;                                       /* >= 1 after collapsing */
  int32_t dim[TIGRIS_MAX_RANK];                        /* of the output */
  int32_t stride[TIGRIS_WALK_INPUTS][TIGRIS_MAX_RANK]; /* elements per step, may be negative */
  int32_t origin[TIGRIS_WALK_INPUTS];                  /* element for index 0 on all axes */
  int32_t index[TIGRIS_MAX_RANK];
  int32_t at[TIGRIS_WALK_INPUTS]; /* current element of each input */
  uint32_t left;                  /* elements still to visit */
} tigris_walk;

/* Dimensions of `output`, all strides 0, all origins 0. */
void tigris_walk_init(tigris_walk* w, const tigris_view* output);
/* Strides of `input` for numpy broadcasting against the walk's dimensions. */
void tigris_walk_broadcast(tigris_walk* w, uint32_t k, const tigris_view* input);
/* The walk over what output 0 of a call asks for, with the first `inputs` inputs under broadcasting; started. */
void tigris_walk_begin(tigris_walk* w, const tigris_call* call, uint32_t inputs);
/* Row-major strides of what a view shows. */
void tigris_strides(const tigris_view* view, int32_t* strides);
/* Merges axes that all inputs step through as one; drops axes of size 1. */
void tigris_walk_collapse(tigris_walk* w);
/* Goes to flat output element `begin`. */
void tigris_walk_start(tigris_walk* w, uint32_t begin, uint32_t count);
/* Elements up to the end of the current line or of the range. */
uint32_t tigris_walk_run(const tigris_walk* w);
void tigris_walk_advance(tigris_walk* w, uint32_t run);

/* First byte of flat element `element` of a view's tensor; the rows it needs are in the view. */
static inline uint8_t* tigris_element(const tigris_view* view, uint32_t element, uint32_t size) {
  return view->data + ((size_t)element * size - (size_t)view->first * view->pitch);
}

/* Where input k stands, of `size` bytes per element; *step: bytes from one element of the run to the next. */
static inline const uint8_t* tigris_walk_input(const tigris_walk* w, uint32_t k,
                                               const tigris_view* input, uint32_t size,
                                               ptrdiff_t* step) {
  *step = (ptrdiff_t)w->stride[k][w->rank - 1] * (ptrdiff_t)size;
  return tigris_element(input, (uint32_t)w->at[k], size);
}

/* Copies n elements of `size` bytes (1, 2, 4 or 8), source elements `stride` apart. */
void tigris_copy_strided(uint8_t* to, const uint8_t* from, uint32_t n, int32_t stride,
                         uint32_t size);

#endif /* TIGRIS_WALK_H */
