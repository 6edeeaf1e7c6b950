/* Comparisons, logic on bools, and selection between two tensors. */
#include "kernels.h"
#include "number.h"
#include "walk.h"

/* Both operands of one element; steps of 0 repeat one value. */
#define EACH(EXPRESSION)                                                                           \
  for (i = 0; i < n; ++i, a += aStep, b += bStep)                                                  \
    y[i] = (uint8_t)(EXPRESSION);                                                                  \
  break

static void compareFloats(uint32_t opcode, uint8_t* y, const uint8_t* a, const uint8_t* b,
                          ptrdiff_t aStep, ptrdiff_t bStep, uint32_t n) {
  uint32_t i;
  switch (opcode) {
  case TIGRIS_OP_EQUAL:
    EACH(tigris_load_float(a) == tigris_load_float(b));
  case TIGRIS_OP_LESS:
    EACH(tigris_load_float(a) < tigris_load_float(b));
  default: /* LESS_EQUAL */
    EACH(tigris_load_float(a) <= tigris_load_float(b));
  }
}

static void compareInts(uint32_t opcode, uint32_t dtype, uint8_t* y, const uint8_t* a,
                        const uint8_t* b, ptrdiff_t aStep, ptrdiff_t bStep, uint32_t n) {
  uint32_t i;
  switch (opcode) {
  case TIGRIS_OP_EQUAL:
    EACH(tigris_load_int(a, dtype) == tigris_load_int(b, dtype));
  case TIGRIS_OP_LESS:
    EACH(tigris_load_int(a, dtype) < tigris_load_int(b, dtype));
  case TIGRIS_OP_LESS_EQUAL:
    EACH(tigris_load_int(a, dtype) <= tigris_load_int(b, dtype));
  case TIGRIS_OP_AND:
    EACH((*a != 0) & (*b != 0));
  case TIGRIS_OP_OR:
    EACH((*a != 0) | (*b != 0));
  default: /* XOR */
    EACH((*a != 0) ^ (*b != 0));
  }
}

tigris_status tigris_compare(const tigris_call* call) {
  const uint32_t dtype = call->in[0].tensor->dtype;
  const uint32_t size = tigris_element_size(dtype);
  uint8_t* y = call->out[0].data;
  tigris_walk w;
  uint32_t n;
  for (tigris_walk_begin(&w, call, 2); w.left != 0; tigris_walk_advance(&w, n)) {
    ptrdiff_t aStep;
    ptrdiff_t bStep;
    const uint8_t* a = tigris_walk_input(&w, 0, &call->in[0], size, &aStep);
    const uint8_t* b = tigris_walk_input(&w, 1, &call->in[1], size, &bStep);
    n = tigris_walk_run(&w);
    if (dtype == TIGRIS_F32)
      compareFloats(call->op->opcode, y, a, b, aStep, bStep, n);
    else
      compareInts(call->op->opcode, dtype, y, a, b, aStep, bStep, n);
    y += n;
  }
  return TIGRIS_OK;
}

tigris_status tigris_where(const tigris_call* call) {
  const uint32_t size = tigris_element_size(call->out[0].tensor->dtype);
  uint8_t* y = call->out[0].data;
  tigris_walk w;
  uint32_t n;
  uint32_t i;
  for (tigris_walk_begin(&w, call, 3); w.left != 0; tigris_walk_advance(&w, n)) {
    ptrdiff_t step;
    ptrdiff_t aStep;
    ptrdiff_t bStep;
    const uint8_t* condition = tigris_walk_input(&w, 0, &call->in[0], 1, &step);
    const uint8_t* a = tigris_walk_input(&w, 1, &call->in[1], size, &aStep);
    const uint8_t* b = tigris_walk_input(&w, 2, &call->in[2], size, &bStep);
    n = tigris_walk_run(&w);
    for (i = 0; i < n; ++i, condition += step, a += aStep, b += bStep, y += size)
      memmove(y, *condition != 0 ? a : b, size); /* y may be a or b */
  }
  return TIGRIS_OK;
}
