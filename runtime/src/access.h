/* What an op needs for a box of its output: boxes of its inputs, and the parameters of that small problem.
 *
 * The rules are those of docs/tgrs-format.md, "Boxes"; the planner has the same. Ops, shapes and
 * parameters have been checked by tigris_plan_open; an output box is not empty and inside its tensor.
 * A cut the op cannot take (the axis of a softmax, part of a channel multiplier, ...) gives 0. */
#ifndef TIGRIS_ACCESS_H
#define TIGRIS_ACCESS_H

#include "box.h"

/* The parameters of an op on a box, where they differ from those of the whole. */
typedef union tigris_local_params {
  tigris_conv_params conv;
  tigris_fc_params fc;
  tigris_pool_params pool;
  tigris_slice_params slice;
  tigris_pad_params pad;
  tigris_resize_params resize;
} tigris_local_params;

/* 1 when an input belongs to output channels (weights, bias, scale, table): it is always there whole. */
int tigris_is_parameter(const tigris_op* op, uint32_t input);

/* The box of an input that is no parameter. 0: the op cannot be cut so. Only CONCAT may need nothing. */
int tigris_box_need(const tigris_plan* plan, const tigris_op* op, uint32_t input,
                    const tigris_box* out, tigris_box* need);

/* The same for [begin, end) of axis 1 and all of the others, in axis 1 of `need`, without a box: quicker. -1: ask
 * tigris_box_need. */
int tigris_rows_need(const tigris_plan* plan, const tigris_op* op, uint32_t input, int32_t begin,
                     int32_t end, tigris_box* need);

/* Rows, indices of axis 1, are those of windows: tigris_rows_need knows them and nothing but tigris_rows_params is to be
 * adjusted for [begin, end) of them and all of the other axes. */
int tigris_rows_are_windows(const tigris_plan* plan, const tigris_op* op);

const void* tigris_rows_params(const tigris_plan* plan, const tigris_op* op, int32_t begin,
                               int32_t end, tigris_local_params* local);

/* First element of a parameter that the output box uses; a change of its dimensions goes to `dims` (of
 * tensor->rank <= 4 numbers). 0 when it is used from its start. */
uint32_t tigris_box_parameter(const tigris_plan* plan, const tigris_op* op, uint32_t input,
                              const tigris_box* out, const int32_t** dims, int32_t* room);

/* The parameters for an output box and the box of input 0 that tigris_box_need gives for it; either the
 * plan's own or `local`. NULL for an op without any. */
const void* tigris_box_params(const tigris_plan* plan, const tigris_op* op, const tigris_box* out,
                              const tigris_box* in, tigris_local_params* local);

#endif /* TIGRIS_ACCESS_H */
