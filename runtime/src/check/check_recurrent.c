/* Contract of LSTM, GRU and RNN. */
#include "check.h"

/* Whether the tensor is F32 with exactly these dimensions, or absent. */
static int isFloats(const tigris_op_check* c, const tigris_tensor* t, uint32_t rank, int32_t d0,
                    int32_t d1, int32_t d2, int32_t d3) {
  const int32_t expected[4] = {d0, d1, d2, d3};
  uint32_t i;
  if (t == NULL)
    return 1;
  if (t->dtype != TIGRIS_F32 || t->rank != rank)
    return 0;
  for (i = 0; i < rank; ++i) {
    if (tigris_dims(c->plan, t)[i] != expected[i])
      return 0;
  }
  return 1;
}

tigris_status tigris_check_recurrent(const tigris_op_check* c) {
  const tigris_recurrent_params* p = (const tigris_recurrent_params*)c->params;
  const uint32_t opcode = c->op->opcode;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* r = tigris_in(c, 2);
  const tigris_tensor* y = tigris_out(c, 0);
  const int32_t gates = opcode == TIGRIS_OP_LSTM ? 4 : (opcode == TIGRIS_OP_GRU ? 3 : 1);
  const uint32_t flags = TIGRIS_RECURRENT_REVERSE |
                         (opcode == TIGRIS_OP_GRU ? TIGRIS_RECURRENT_RESET_AFTER : 0u) |
                         (opcode == TIGRIS_OP_RNN ? TIGRIS_RECURRENT_RELU : 0u);
  const int32_t* dx = tigris_dims(c->plan, x);
  const int32_t* dr = tigris_dims(c->plan, r);
  const int32_t* dy = tigris_dims(c->plan, y);
  int32_t directions;
  int32_t hidden;
  if (x->rank != 3 || r->rank != 4 || y->rank != 4 || !(p->clip > 0.0f) || (p->flags & ~flags) != 0)
    return TIGRIS_E_OP;
  directions = dr[0];
  hidden = dr[1];
  if (directions > 2 || (directions == 2 && (p->flags & TIGRIS_RECURRENT_REVERSE) != 0) ||
      (dy[0] != dx[0] && (dy[0] < 2 || dy[0] > dx[0])))
    return TIGRIS_E_OP;
  if (!isFloats(c, x, 3, dx[0], dx[1], dx[2], 0) ||
      !isFloats(c, tigris_in(c, 1), 4, directions, hidden, dx[2], gates) ||
      !isFloats(c, r, 4, directions, hidden, hidden, gates) ||
      !isFloats(c, tigris_in(c, 3), 3, directions, hidden, gates == 1 ? 1 : 4, 0) ||
      !isFloats(c, tigris_in(c, 4), 3, directions, dx[1], hidden, 0) ||
      !isFloats(c, y, 4, dy[0], directions, dx[1], hidden))
    return TIGRIS_E_OP;
  if (opcode == TIGRIS_OP_LSTM && (!isFloats(c, tigris_in(c, 5), 3, directions, dx[1], hidden, 0) ||
                                   !isFloats(c, tigris_in(c, 6), 3, directions, hidden, 3, 0) ||
                                   !isFloats(c, tigris_out(c, 1), 3, directions, dx[1], hidden, 0)))
    return TIGRIS_E_OP;
  if (opcode == TIGRIS_OP_GRU && !isFloats(c, tigris_out(c, 1), 1, hidden, 0, 0, 0))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}
