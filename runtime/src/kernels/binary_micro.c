/* PRELU_INT and SQUARED_DIFFERENCE on int8 and int16, rounded twice.
 *
 * Sources: tensorflow/lite/kernels/internal/reference/prelu.h and
 * tensorflow/lite/micro/kernels/squared_difference.cc. */
#include "fixed_point.h"
#include "kernels.h"
#include "number.h"
#include "walk.h"

static int32_t scaled(int32_t x, const tigris_binary_params* p, int32_t multiplier, int32_t shift) {
  return tigris_requantize(tigris_shift_left_wrap(x, p->left_shift), multiplier, shift);
}

static int32_t combine(uint32_t opcode, const tigris_binary_params* p, int32_t a, int32_t b) {
  uint32_t d;
  if (opcode == TIGRIS_OP_PRELU_INT)
    return a >= 0 ? tigris_requantize(a, p->a_multiplier, p->a_shift)
                  : tigris_requantize((int32_t)((uint32_t)a * (uint32_t)b), p->out_multiplier,
                                      p->out_shift);
  d = (uint32_t)scaled(a, p, p->a_multiplier, p->a_shift) -
      (uint32_t)scaled(b, p, p->b_multiplier, p->b_shift);
  return tigris_requantize((int32_t)(d * d), p->out_multiplier, p->out_shift);
}

tigris_status tigris_binary_micro(const tigris_call* call) {
  const tigris_binary_params* p = (const tigris_binary_params*)call->params;
  const uint32_t dtype = call->out[0].tensor->dtype;
  const uint32_t size = tigris_element_size(dtype);
  const int32_t aZero = tigris_zero_point(call->plan, call->in[0].tensor);
  const int32_t bZero = tigris_zero_point(call->plan, call->in[1].tensor);
  const int32_t yZero = tigris_zero_point(call->plan, call->out[0].tensor);
  uint8_t* y = call->out[0].data; /* may be an input */
  tigris_walk w;
  uint32_t n;
  tigris_walk_begin(&w, call, 2);
  for (; w.left != 0; tigris_walk_advance(&w, n)) {
    ptrdiff_t aStep;
    ptrdiff_t bStep;
    const uint8_t* a = tigris_walk_input(&w, 0, &call->in[0], size, &aStep);
    const uint8_t* b = tigris_walk_input(&w, 1, &call->in[1], size, &bStep);
    uint32_t i;
    n = tigris_walk_run(&w);
    for (i = 0; i < n; ++i, a += aStep, b += bStep, y += size) {
      const int32_t v = combine(call->op->opcode, p, (int32_t)tigris_load_int(a, dtype) - aZero,
                                (int32_t)tigris_load_int(b, dtype) - bZero);
      const int32_t stored = tigris_clamp_s32(tigris_add_wrap(v, yZero), p->lo.i, p->hi.i);
      if (dtype == TIGRIS_S8)
        *(int8_t*)(void*)y = (int8_t)stored;
      else
        *(int16_t*)(void*)y = (int16_t)stored;
    }
  }
  return TIGRIS_OK;
}
