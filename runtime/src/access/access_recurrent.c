/* The parts of recurrent layers and of their outputs. */
#include "access_op.h"

void tigris_recurrent_whole(const tigris_plan* plan, const tigris_op* op, tigris_box* whole) {
  const tigris_tensor* y = tigris_operand_tensor(plan, op, op->inputs);
  tigris_box_whole(whole, tigris_dims(plan, y), y->rank);
  whole->end[0] = tigris_dims(plan, tigris_operand_tensor(plan, op, 0))[0];
}

int tigris_recurrent_is_reversed(const tigris_plan* plan, const tigris_op* op,
                                 const tigris_box* part) {
  const tigris_recurrent_params* p = (const tigris_recurrent_params*)tigris_params(plan, op);
  return (p->flags & TIGRIS_RECURRENT_REVERSE) != 0 || part->begin[1] != 0;
}

int tigris_recurrent_keeps_steps(const tigris_plan* plan, const tigris_op* op) {
  return tigris_dims(plan, tigris_operand_tensor(plan, op, op->inputs))[0] ==
         tigris_dims(plan, tigris_operand_tensor(plan, op, 0))[0];
}

uint32_t tigris_recurrent_made(const tigris_plan* plan, const tigris_op* op, uint32_t k,
                               const tigris_box* part, tigris_box* made) {
  const tigris_tensor* y = tigris_operand_tensor(plan, op, op->inputs + k);
  uint32_t axis;
  if (k == 0) {
    *made = *part;
    if (tigris_recurrent_keeps_steps(plan, op))
      return 7;
    made->begin[0] = 0;
    made->end[0] = tigris_dims(plan, y)[0];
    return 6;
  }
  tigris_box_whole(made, tigris_dims(plan, y), y->rank);
  if (op->opcode == TIGRIS_OP_GRU)
    return 0;
  for (axis = 0; axis < 2; ++axis) {
    made->begin[axis] = part->begin[axis + 1];
    made->end[axis] = part->end[axis + 1];
  }
  return 6;
}
