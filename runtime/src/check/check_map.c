/* Contracts of element-wise ops: binary, unary, tables, clamps, normalizations, quantization. */
#include "check.h"

static int allOf(const tigris_op_check* c, uint32_t dtype) {
  uint32_t i;
  for (i = 0; i < c->op->inputs; ++i) {
    const tigris_tensor* t = tigris_in(c, i);
    if (t != NULL && t->dtype != dtype)
      return 0;
  }
  return tigris_out(c, 0)->dtype == dtype;
}

/* Whether the shifts are legal. DIV multiplies its denominator by a divisor of up to 255. */
static int shiftsOk(const tigris_op_check* c, const tigris_binary_params* p) {
  if (!tigris_rounds_even(c->op))
    return tigris_shift_ok(p->a_shift) && tigris_shift_ok(p->b_shift) &&
           tigris_shift_ok(p->out_shift);
  return tigris_denominator_ok(p->out_shift) &&
         (c->op->opcode != TIGRIS_OP_DIV || (tigris_in(c, 0)->dtype == TIGRIS_S8 &&
                                             tigris_denominator(p->out_shift) < INT64_C(1) << 53));
}

tigris_status tigris_check_binary(const tigris_op_check* c) {
  const tigris_binary_params* p = (const tigris_binary_params*)c->params;
  const tigris_tensor* a = tigris_in(c, 0);
  const tigris_tensor* b = tigris_in(c, 1);
  const tigris_tensor* y = tigris_out(c, 0);
  if (!tigris_broadcasts(c->plan, a, y, 0) || !tigris_broadcasts(c->plan, b, y, 0))
    return TIGRIS_E_OP;
  if (allOf(c, TIGRIS_S32) || allOf(c, TIGRIS_S64))
    return c->op->opcode != TIGRIS_OP_POW ? TIGRIS_OK : TIGRIS_E_OP;
  if (!tigris_clamp_ok(y->dtype, p->lo, p->hi))
    return TIGRIS_E_OP;
  if (allOf(c, TIGRIS_F32))
    return c->op->opcode != TIGRIS_OP_MOD ? TIGRIS_OK : TIGRIS_E_OP;
  if (!tigris_arithmetic_pair(a, y) || !tigris_arithmetic_pair(b, y) ||
      c->op->opcode == TIGRIS_OP_POW || c->op->opcode == TIGRIS_OP_MOD ||
      c->op->opcode == TIGRIS_OP_FMOD || p->left_shift < 0 || p->left_shift > 20 || !shiftsOk(c, p))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}

tigris_status tigris_check_prelu(const tigris_op_check* c) {
  const tigris_tensor* y = tigris_out(c, 0);
  if (!allOf(c, TIGRIS_F32) || !tigris_same_dims(c->plan, tigris_in(c, 0), y) ||
      !tigris_broadcasts(c->plan, tigris_in(c, 1), y, 0))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}

tigris_status tigris_check_unary(const tigris_op_check* c) {
  const tigris_unary_params* p = (const tigris_unary_params*)c->params;
  if (p->function < TIGRIS_FN_ABS || p->function >= TIGRIS_FN_END)
    return TIGRIS_E_UNSUPPORTED;
  if ((!allOf(c, TIGRIS_F32) &&
       (!allOf(c, TIGRIS_S16) || !tigris_arithmetic_pair(tigris_in(c, 0), tigris_out(c, 0)))) ||
      !tigris_same_dims(c->plan, tigris_in(c, 0), tigris_out(c, 0)))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}

tigris_status tigris_check_lookup(const tigris_op_check* c) {
  if (!allOf(c, TIGRIS_S8) || !tigris_same_dims(c->plan, tigris_in(c, 0), tigris_out(c, 0)) ||
      tigris_in(c, 1)->bytes != 256)
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}

tigris_status tigris_check_clamp(const tigris_op_check* c) {
  const tigris_clamp_params* p = (const tigris_clamp_params*)c->params;
  const tigris_tensor* y = tigris_out(c, 0);
  if ((!allOf(c, TIGRIS_F32) && !allOf(c, TIGRIS_S8) && !allOf(c, TIGRIS_S16)) ||
      !tigris_same_dims(c->plan, tigris_in(c, 0), y) || !tigris_clamp_ok(y->dtype, p->lo, p->hi))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}

tigris_status tigris_check_batch_norm(const tigris_op_check* c) {
  const tigris_clamp_params* p = (const tigris_clamp_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  uint32_t channels;
  if (!allOf(c, TIGRIS_F32) || !tigris_same_dims(c->plan, x, tigris_out(c, 0)) || x->rank < 1 ||
      !tigris_clamp_ok(TIGRIS_F32, p->lo, p->hi))
    return TIGRIS_E_OP;
  channels = (uint32_t)tigris_dims(c->plan, x)[x->rank - 1];
  if (tigris_elements(tigris_in(c, 1)) != channels || tigris_elements(tigris_in(c, 2)) != channels)
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}

tigris_status tigris_check_softmax(const tigris_op_check* c) {
  const tigris_softmax_params* p = (const tigris_softmax_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* y = tigris_out(c, 0);
  if (!tigris_same_dims(c->plan, x, y) || p->axis < 0 || p->axis >= (int32_t)x->rank)
    return TIGRIS_E_OP;
  if (allOf(c, TIGRIS_F32))
    return TIGRIS_OK;
  if (c->op->opcode != TIGRIS_OP_SOFTMAX || p->multiplier < 0 || p->diff_min > 0)
    return TIGRIS_E_OP;
  if (allOf(c, TIGRIS_S16))
    return tigris_shift_ok(p->left_shift) ? TIGRIS_OK : TIGRIS_E_OP;
  if (x->dtype != TIGRIS_S8 || (y->dtype != TIGRIS_S8 && y->dtype != TIGRIS_S16) ||
      p->left_shift < 0 || p->left_shift > 30)
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}

tigris_status tigris_check_layer_norm(const tigris_op_check* c) {
  const tigris_layer_norm_params* p = (const tigris_layer_norm_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  uint32_t size = 1;
  uint32_t i;
  if (!allOf(c, TIGRIS_F32) || !tigris_same_dims(c->plan, x, tigris_out(c, 0)) || p->axes < 1 ||
      p->axes > x->rank)
    return TIGRIS_E_OP;
  for (i = x->rank - p->axes; i < x->rank; ++i)
    size *= (uint32_t)tigris_dims(c->plan, x)[i];
  for (i = 1; i < 3; ++i) {
    const tigris_tensor* t = tigris_in(c, i);
    if (t != NULL && tigris_elements(t) != size)
      return TIGRIS_E_OP;
  }
  return TIGRIS_OK;
}

tigris_status tigris_check_quantize(const tigris_op_check* c) {
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* y = tigris_out(c, 0);
  const int fromFloat = c->op->opcode == TIGRIS_OP_QUANTIZE;
  const int toFloat = c->op->opcode == TIGRIS_OP_DEQUANTIZE;
  if (!tigris_same_dims(c->plan, x, y) ||
      !(fromFloat ? x->dtype == TIGRIS_F32 : tigris_is_quantized(x)) ||
      !(toFloat ? y->dtype == TIGRIS_F32 : tigris_is_quantized(y)))
    return TIGRIS_E_OP;
  if (c->op->opcode == TIGRIS_OP_REQUANTIZE) {
    const tigris_requantize_params* p = (const tigris_requantize_params*)c->params;
    if (x->dtype != y->dtype || !tigris_scale_ok(c, p->shift) ||
        (tigris_rounds_even(c->op) && x->dtype != TIGRIS_S16) ||
        p->lo < -tigris_largest(y->dtype) - 1 || p->hi > tigris_largest(y->dtype) || p->lo > p->hi)
      return TIGRIS_E_OP;
  }
  return TIGRIS_OK;
}

/* s8 or s16 with quantization, or s32. */
static int isStored(const tigris_tensor* t) {
  return t->dtype == TIGRIS_S32 || tigris_is_quantized(t);
}

tigris_status tigris_check_rescale(const tigris_op_check* c) {
  const tigris_requantize_params* p = (const tigris_requantize_params*)c->params;
  const tigris_tensor* x = tigris_in(c, 0);
  const tigris_tensor* y = tigris_out(c, 0);
  if (!tigris_same_dims(c->plan, x, y) || x->dtype == y->dtype || !isStored(x) || !isStored(y) ||
      !tigris_shift_ok(p->shift) || p->lo > p->hi)
    return TIGRIS_E_OP;
  if (y->dtype != TIGRIS_S32 &&
      (p->lo < -tigris_largest(y->dtype) - 1 || p->hi > tigris_largest(y->dtype)))
    return TIGRIS_E_OP;
  return TIGRIS_OK;
}
