/* Contracts of SIGMOID_INT, PRELU_INT and SQUARED_DIFFERENCE. */
#include "check.h"

tigris_status tigris_check_sigmoid(const tigris_op_check* c) {
  const tigris_sigmoid_params* p = (const tigris_sigmoid_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* y = tigris_out(c, 0);
  if ((p->function != TIGRIS_FN_SIGMOID && p->function != TIGRIS_FN_TANH) ||
      x->dtype != TIGRIS_S16 || y->dtype != TIGRIS_S16 || !tigris_same_dims(c->plan, x, y) ||
      p->multiplier < 0 || p->multiplier > INT16_MAX || p->shift > 31)
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}

tigris_status tigris_check_micro(const tigris_op_check* c) {
  const tigris_binary_params* p = (const tigris_binary_params*)c->params;
  const tigris_tensor* a = tigris_in(c, 0);
  const tigris_tensor* b = tigris_in(c, 1);
  const tigris_tensor* y = tigris_out(c, 0);
  if (!tigris_broadcasts(c->plan, a, y, 0) || !tigris_broadcasts(c->plan, b, y, 0) ||
      !tigris_arithmetic_pair(a, y) || !tigris_arithmetic_pair(b, y) || y->dtype == TIGRIS_F32 ||
      !tigris_clamp_ok(y->dtype, p->lo, p->hi) || p->left_shift < 0 || p->left_shift > 20 ||
      !tigris_shift_ok(p->a_shift) || !tigris_shift_ok(p->b_shift) ||
      !tigris_shift_ok(p->out_shift))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}
