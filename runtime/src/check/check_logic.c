/* Contracts of comparisons, logic, selections and conversions. */
#include "check.h"

static int isNumber(uint32_t dtype) {
  return dtype == TIGRIS_F32 || dtype == TIGRIS_S32 || dtype == TIGRIS_S64;
}

tigris_status tigris_check_compare(const tigris_op_check* c) {
  const tigris_tensor* a = tigris_in(c, 0);
  const tigris_tensor* b = tigris_in(c, 1);
  const tigris_tensor* y = tigris_out(c, 0);
  const int logic = c->op->opcode == TIGRIS_OP_AND || c->op->opcode == TIGRIS_OP_OR ||
                    c->op->opcode == TIGRIS_OP_XOR;
  const int bools = logic || c->op->opcode == TIGRIS_OP_EQUAL;
  if (a->dtype != b->dtype || y->dtype != TIGRIS_BOOL || !tigris_broadcasts(c->plan, a, y, 0) ||
      !tigris_broadcasts(c->plan, b, y, 0))
    return TIGRIS_E_OP;
  if (a->dtype == TIGRIS_BOOL)
    return bools ? TIGRIS_OK : TIGRIS_E_OP;
  return !logic && isNumber(a->dtype) ? TIGRIS_OK : TIGRIS_E_OP;
}

tigris_status tigris_check_where(const tigris_op_check* c) {
  const tigris_tensor* y = tigris_out(c, 0);
  uint32_t i;
  if (tigris_in(c, 0)->dtype != TIGRIS_BOOL)
    return TIGRIS_E_OP;
  for (i = 0; i < 3; ++i) {
    if (!tigris_broadcasts(c->plan, tigris_in(c, i), y, 0) ||
        (i != 0 && tigris_in(c, i)->dtype != y->dtype))
      return TIGRIS_E_OP;
  }
  return TIGRIS_OK;
}

/* Any stored type to any other. */
tigris_status tigris_check_cast(const tigris_op_check* c) {
  return tigris_same_dims(c->plan, tigris_in(c, 0), tigris_out(c, 0)) ? TIGRIS_OK : TIGRIS_E_OP;
}
