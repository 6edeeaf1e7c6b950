/* Contracts of LSTM, GRU, RNN, LSTM_INT and SVDF. */
#include "check.h"

/* Whether the tensor has this type and exactly these dimensions, or is absent. */
static int isOf(const tigris_op_check* c, uint32_t dtype, const tigris_tensor* t, uint32_t rank,
                int32_t d0, int32_t d1, int32_t d2, int32_t d3) {
  const int32_t expected[4] = {d0, d1, d2, d3};
  uint32_t i;
  if (t == NULL)
    return 1;
  if (t->dtype != dtype || t->rank != rank)
    return 0;
  for (i = 0; i < rank; ++i) {
    if (tigris_dims(c->plan, t)[i] != expected[i])
      return 0;
  }
  return 1;
}

static int isFloats(const tigris_op_check* c, const tigris_tensor* t, uint32_t rank, int32_t d0,
                    int32_t d1, int32_t d2, int32_t d3) {
  return isOf(c, TIGRIS_F32, t, rank, d0, d1, d2, d3);
}

static int isPair(int32_t multiplier, int32_t shift) {
  return multiplier >= 0 && tigris_shift_ok(shift);
}

/* Whether both are quantized with the same zero point. */
static int isSameZero(const tigris_op_check* c, const tigris_tensor* a, const tigris_tensor* b) {
  return tigris_is_quantized(a) && tigris_is_quantized(b) &&
         tigris_zero_point(c->plan, a) == tigris_zero_point(c->plan, b);
}

tigris_status tigris_check_recurrent(const tigris_op_check* c) {
  const tigris_recurrent_params* p = (const tigris_recurrent_params*)c->params;
  const uint32_t opcode = c->op->opcode;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* r = tigris_in(c, 2);
  const tigris_tensor* y = tigris_out(c, 0);
  const int32_t gates = opcode == TIGRIS_OP_LSTM ? 4 : (opcode == TIGRIS_OP_GRU ? 3 : 1);
  const uint32_t flags = TIGRIS_RECURRENT_REVERSE |
                         (opcode == TIGRIS_OP_LSTM ? TIGRIS_RECURRENT_CLIP_CELL : 0u) |
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

tigris_status tigris_check_lstm_int(const tigris_op_check* c) {
  const tigris_lstm_int_params* p = (const tigris_lstm_int_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* y = tigris_out(c, 0);
  const int32_t* dx = tigris_dims(c->plan, x);
  const int32_t* dy = tigris_dims(c->plan, y);
  int32_t hidden;
  uint32_t i;
  if (x->rank != 3 || y->rank != 4 || x->dtype == TIGRIS_F32 || !tigris_arithmetic_pair(x, y) ||
      (p->flags & ~TIGRIS_RECURRENT_REVERSE) != 0 || p->cell_clip < 0 || p->cell_clip > INT16_MAX ||
      p->cell_power < -27 || p->cell_power > 2)
    return TIGRIS_E_OP;
  for (i = 0; i < TIGRIS_LSTM_PAIRS; ++i)
    if (!isPair(p->multipliers[i], p->shifts[i]))
      return TIGRIS_E_OP;
  hidden = dy[3];
  if (hidden > INT32_MAX / 4 || (dy[0] != dx[0] && (dy[0] < 2 || dy[0] > dx[0])) ||
      !isOf(c, y->dtype, y, 4, dy[0], 1, dx[1], hidden) ||
      !isOf(c, TIGRIS_S8, tigris_in(c, 1), 3, 1, 4 * hidden, dx[2], 0) ||
      !isOf(c, TIGRIS_S8, tigris_in(c, 2), 3, 1, 4 * hidden, hidden, 0) ||
      !isOf(c, TIGRIS_S32, tigris_in(c, 3), 2, 1, 4 * hidden, 0, 0) ||
      !isOf(c, y->dtype, tigris_in(c, 4), 3, 1, dx[1], hidden, 0) ||
      !isOf(c, TIGRIS_S16, tigris_in(c, 5), 3, 1, dx[1], hidden, 0) ||
      !isOf(c, TIGRIS_S16, tigris_out(c, 1), 3, 1, dx[1], hidden, 0) ||
      !isSameZero(c, y, tigris_in(c, 4)))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}

tigris_status tigris_check_svdf(const tigris_op_check* c) {
  const tigris_svdf_params* p = (const tigris_svdf_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* time = tigris_in(c, 2);
  const tigris_tensor* state = tigris_in(c, 4);
  const tigris_tensor* y = tigris_out(c, 0);
  const tigris_tensor* next = tigris_out(c, 1);
  const int isFloat = x->dtype == TIGRIS_F32;
  const int32_t* dx = tigris_dims(c->plan, x);
  const int32_t* dt = tigris_dims(c->plan, time);
  int32_t filters;
  if (x->rank != 2 || time->rank != 2 || !tigris_arithmetic_pair(x, y) ||
      !isPair(p->feature_multiplier, p->feature_shift) ||
      !isPair(p->time_multiplier, p->time_shift) || p->rank < 1)
    return TIGRIS_E_OP;
  filters = dt[0];
  if (filters % p->rank != 0 || filters > INT32_MAX / dt[1] || filters > INT32_MAX / dx[0])
    return TIGRIS_E_OP;
  if (!isOf(c, isFloat ? TIGRIS_F32 : TIGRIS_S8, tigris_in(c, 1), 2, filters, dx[1], 0, 0) ||
      !isOf(c, isFloat ? TIGRIS_F32 : TIGRIS_S32, tigris_in(c, 3), 1, filters / p->rank, 0, 0, 0) ||
      !isOf(c, time->dtype, state, 2, dx[0], filters * dt[1], 0, 0) ||
      !isOf(c, time->dtype, next, 2, dx[0], filters * dt[1], 0, 0) ||
      !isOf(c, x->dtype, y, 2, dx[0], filters / p->rank, 0, 0))
    return TIGRIS_E_OP;
  if (isFloat ? time->dtype != TIGRIS_F32 : !isSameZero(c, state, next))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}
