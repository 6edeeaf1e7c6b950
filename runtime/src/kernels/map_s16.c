/* int16 element maps: operations of two operands with broadcasting, functions of one value,
 * clamps. */
#include "kernels.h"
#include "quantize.h"
#include "walk.h"
#include "wide_s16.h"

/* Number of values that are converted to float at a time. */
#define BLOCK 32u

typedef struct OperandsS16 {
  int32_t a; /* zero point subtracted, except for MAXIMUM and MINIMUM */
  int32_t b;
} OperandsS16;

/* The numerator of an op with TIGRIS_ROUND_EVEN. */
static int64_t numerator(uint32_t opcode, const tigris_binary_params* p, OperandsS16 v) {
  if (opcode == TIGRIS_OP_MUL)
    return tigris_numerator((int64_t)v.a * v.b, p->out_multiplier, 0);
  return (int64_t)v.a * p->a_multiplier + (int64_t)v.b * p->b_multiplier;
}

static int64_t combine(const tigris_op* op, const tigris_binary_params* p, OperandsS16 v) {
  const int32_t right = 31 - p->out_shift;
  switch (op->opcode) {
  case TIGRIS_OP_MUL:
    if (tigris_rounds_twice(op))
      return tigris_requantize((int32_t)((int64_t)v.a * v.b), p->out_multiplier, p->out_shift);
    return tigris_requantize_wide((int64_t)v.a * v.b, p->out_multiplier, p->out_shift);
  case TIGRIS_OP_MAXIMUM:
    return v.a > v.b ? v.a : v.b;
  case TIGRIS_OP_MINIMUM:
    return v.a < v.b ? v.a : v.b;
  default: /* ADD, SUB */
    return ((int64_t)v.a * p->a_multiplier + (int64_t)v.b * p->b_multiplier +
            (INT64_C(1) << (right - 1))) >>
           right;
  }
}

tigris_status tigris_binary_s16(const tigris_call* call) {
  const tigris_binary_params* p = (const tigris_binary_params*)call->params;
  const uint32_t opcode = call->op->opcode;
  const int even = tigris_rounds_even(call->op);
  const int extreme = opcode == TIGRIS_OP_MAXIMUM || opcode == TIGRIS_OP_MINIMUM;
  const int32_t aZero = extreme ? 0 : tigris_zero_point(call->plan, call->in[0].tensor);
  const int32_t bZero = extreme ? 0 : tigris_zero_point(call->plan, call->in[1].tensor);
  const int32_t yZero = extreme ? 0 : tigris_zero_point(call->plan, call->out[0].tensor);
  int16_t* y = (int16_t*)(void*)call->out[0].data; /* may be an input */
  tigris_walk w;
  uint32_t n;
  tigris_walk_begin(&w, call, 2);
  for (; w.left != 0; tigris_walk_advance(&w, n)) {
    const int32_t aStep = w.stride[0][w.rank - 1];
    const int32_t bStep = w.stride[1][w.rank - 1];
    const int16_t* a =
        (const int16_t*)(const void*)tigris_element(&call->in[0], (uint32_t)w.at[0], 2);
    const int16_t* b =
        (const int16_t*)(const void*)tigris_element(&call->in[1], (uint32_t)w.at[1], 2);
    uint32_t i;
    n = tigris_walk_run(&w);
    for (i = 0; i < n; ++i) {
      OperandsS16 v;
      v.a = a[(ptrdiff_t)i * aStep] - aZero;
      v.b = b[(ptrdiff_t)i * bStep] - bZero;
      *y++ = tigris_store_s16(even ? tigris_quotient_even(numerator(opcode, p, v), p->out_shift)
                                   : combine(call->op, p, v),
                              yZero, p->lo.i, p->hi.i);
    }
  }
  return TIGRIS_OK;
}

/* A table of 65,536 values would exceed most models, so the function itself is computed, a few
 * values at a time. */
tigris_status tigris_unary_s16(const tigris_call* call) {
  const tigris_unary_params* p = (const tigris_unary_params*)call->params;
  const tigris_quant* from = call->plan->quant + call->in[0].tensor->quant;
  const tigris_quant* to = call->plan->quant + call->out[0].tensor->quant;
  const tigris_span span = tigris_span_of(&call->out[0]);
  const int16_t* x = (const int16_t*)(const void*)tigris_element(&call->in[0], span.begin, 2);
  int16_t* y = (int16_t*)(void*)call->out[0].data;
  uint32_t left = span.count;
  while (left != 0) {
    const uint32_t n = left < BLOCK ? left : BLOCK;
    float real[BLOCK];
    uint32_t i;
    for (i = 0; i < n; ++i)
      real[i] = (float)(x[i] - from->zero_point) * from->scale;
    tigris_apply_function(p, real, real, n);
    for (i = 0; i < n; ++i)
      y[i] = (int16_t)tigris_quantize_one(real[i], to, INT16_MIN, INT16_MAX);
    x += n;
    y += n;
    left -= n;
  }
  return TIGRIS_OK;
}

tigris_status tigris_clamp_s16(const tigris_call* call) {
  const tigris_clamp_params* p = (const tigris_clamp_params*)call->params;
  const tigris_span span = tigris_span_of(&call->out[0]);
  const int16_t* x = (const int16_t*)(const void*)tigris_element(&call->in[0], span.begin, 2);
  int16_t* y = (int16_t*)(void*)call->out[0].data;
  uint32_t i;
  for (i = 0; i < span.count; ++i)
    y[i] = tigris_store_s16(x[i], 0, p->lo.i, p->hi.i);
  return TIGRIS_OK;
}
