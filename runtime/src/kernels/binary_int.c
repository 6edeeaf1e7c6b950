/* Integer operations of two operands with broadcasting. Results wrap around; division by 0 gives
 * 0. */
#include "kernels.h"
#include "number.h"
#include "walk.h"

static int64_t negative(int64_t v) { return (int64_t)(0u - (uint64_t)v); }

static int64_t quotient(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  return b == -1 ? negative(a) : a / b;
}

/* The remainder of a / b with the sign of the divisor (`ofDivisor`) or of the dividend. */
static int64_t remainderOf(int64_t a, int64_t b, int ofDivisor) {
  const int64_t rest = b == 0 || b == -1 ? 0 : a % b;
  return ofDivisor && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static int64_t combine(uint32_t opcode, int64_t a, int64_t b) {
  switch (opcode) {
  case TIGRIS_OP_ADD:
    return (int64_t)((uint64_t)a + (uint64_t)b);
  case TIGRIS_OP_SUB:
    return (int64_t)((uint64_t)a - (uint64_t)b);
  case TIGRIS_OP_MUL:
    return (int64_t)((uint64_t)a * (uint64_t)b);
  case TIGRIS_OP_DIV:
    return quotient(a, b);
  case TIGRIS_OP_MAXIMUM:
    return a > b ? a : b;
  case TIGRIS_OP_MINIMUM:
    return a < b ? a : b;
  case TIGRIS_OP_MOD:
    return remainderOf(a, b, 1);
  default: /* FMOD */
    return remainderOf(a, b, 0);
  }
}

tigris_status tigris_binary_int(const tigris_call* call) {
  const uint32_t dtype = call->out[0].tensor->dtype;
  const uint32_t size = tigris_element_size(dtype);
  uint8_t* y = call->out[0].data;
  tigris_walk w;
  uint32_t n;
  uint32_t i;
  for (tigris_walk_begin(&w, call, 2); w.left != 0; tigris_walk_advance(&w, n)) {
    ptrdiff_t aStep;
    ptrdiff_t bStep;
    const uint8_t* a = tigris_walk_input(&w, 0, &call->in[0], size, &aStep);
    const uint8_t* b = tigris_walk_input(&w, 1, &call->in[1], size, &bStep);
    n = tigris_walk_run(&w);
    for (i = 0; i < n; ++i, a += aStep, b += bStep, y += size)
      tigris_store_int(
          y, dtype,
          combine(call->op->opcode, tigris_load_int(a, dtype), tigris_load_int(b, dtype)));
  }
  return TIGRIS_OK;
}
