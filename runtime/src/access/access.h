/* Access rules: the boxes of the inputs that an op needs for a box of its output, and the
 * parameters of that smaller problem.
 *
 * docs/tgrs-format.md, "Boxes", defines the rules; the planner implements the same ones.
 * tigris_plan_open has checked ops, shapes and parameters; an output box is inside its tensor and
 * not empty. A split that the op does not support (the axis of a softmax, part of a channel
 * multiplier, ...) gives 0. */
#ifndef TIGRIS_ACCESS_H
#define TIGRIS_ACCESS_H

#include "box.h"

/* The parameters of an op for a box, if they differ from those of the whole op. */
typedef union tigris_local_params {
  tigris_conv_params conv;
  tigris_fc_params fc;
  tigris_pool_params pool;
  tigris_slice_params slice;
  tigris_pad_params pad;
  tigris_resize_params resize;
  tigris_recurrent_params recurrent;
} tigris_local_params;

/* Whether an input is a parameter that belongs to output channels (weights, bias, scale, table);
 * parameters are always present as a whole. */
int tigris_is_parameter(const tigris_op* op, uint32_t input);

/* The box of an input that is not a parameter. 0: the op cannot be split so. Only for CONCAT may
 * the box be empty. */
int tigris_box_need(const tigris_plan* plan, const tigris_op* op, uint32_t input,
                    const tigris_box* out, tigris_box* need);

/* A faster form without boxes, for [begin, end) of axis 1 and all of the other axes; sets axis 1 of
 * `need`. -1: use tigris_box_need instead. */
int tigris_rows_need(const tigris_plan* plan, const tigris_op* op, uint32_t input, int32_t begin,
                     int32_t end, tigris_box* need);

/* Whether rows (indices of axis 1) are rows of windows: tigris_rows_need handles them, and for
 * [begin, end) of them with all of the other axes only tigris_rows_params must be applied. */
int tigris_rows_are_windows(const tigris_plan* plan, const tigris_op* op);

const void* tigris_rows_params(const tigris_plan* plan, const tigris_op* op, int32_t begin,
                               int32_t end, tigris_local_params* local);

/* Index of the first element of a parameter that the output box uses; stores changed dimensions in
 * `dims` (tensor->rank <= 4 numbers). 0 if it is used from its start. */
uint32_t tigris_box_parameter(const tigris_plan* plan, const tigris_op* op, uint32_t input,
                              const tigris_box* out, const int32_t** dims, int32_t* storage);

/* ---- recurrent layers: in place of an output box, the functions of this header take a part of
 * [steps, directions, batch, hidden]. Parts along the steps are computed one after the other, each
 * from the state that the previous one has left in the outputs' buffers. */

/* All of the steps, directions, batch and hidden units. */
void tigris_recurrent_whole(const tigris_plan* plan, const tigris_op* op, tigris_box* whole);

/* Whether a part, which is in one direction, goes from its last step to its first. */
int tigris_recurrent_is_reversed(const tigris_plan* plan, const tigris_op* op,
                                 const tigris_box* part);

/* The box of output `k` that holds what a part computes. Returns the axes of the part along which
 * the box is cut, bit by bit; it is complete after the last part along the others. */
uint32_t tigris_recurrent_made(const tigris_plan* plan, const tigris_op* op, uint32_t k,
                               const tigris_box* part, tigris_box* made);

/* Whether y has a row of its own for every step, and not only for the last ones. */
int tigris_recurrent_keeps_steps(const tigris_plan* plan, const tigris_op* op);

/* The parameters for an output box and the box of input 0 that tigris_box_need returns for it:
 * either the plan's own or `local`. NULL for an op without parameters. */
const void* tigris_box_params(const tigris_plan* plan, const tigris_op* op, const tigris_box* out,
                              const tigris_box* in, tigris_local_params* local);

#endif /* TIGRIS_ACCESS_H */
