/* Element-wise sums and products of two equal shapes, and softmax over the last axis, on CMSIS-NN. */
#include "adapter.h"

#if TIGRIS_CMSIS_NN_BINARY

int tigris_cn_binary_serves(const tigris_cn_op* o) {
  const tigris_binary_params* p = (const tigris_binary_params*)o->params;
  const int32_t* a = tigris_dims(o->plan, o->x);
  const int32_t* b = tigris_dims(o->plan, o->w);
  uint32_t i;
  if (o->x->rank != o->w->rank)
    return 0;
  for (i = 0; i < o->x->rank; ++i) {
    if (a[i] != b[i])
      return 0;
  }
  /* The sum packs operands in 16 bits and shifts the rest out. */
  return o->op->opcode == TIGRIS_OP_MUL || p->left_shift >= 16;
}

tigris_status tigris_cn_binary(const tigris_call* call) {
  const tigris_binary_params* p = (const tigris_binary_params*)call->params;
  const int32_t aOffset = -tigris_zero_point(call->plan, call->in[0].tensor);
  const int32_t bOffset = -tigris_zero_point(call->plan, call->in[1].tensor);
  const int32_t yOffset = tigris_zero_point(call->plan, call->out[0].tensor);
  const int32_t count = (int32_t)tigris_span_of(&call->out[0]).count;
  const int8_t* a = tigris_cn_input(call, 0);
  const int8_t* b = tigris_cn_input(call, 1);
  uint32_t i;
  for (i = 0; i < 2; ++i) {
    if (call->in[i].first != call->out[0].first || call->in[i].rows != call->out[0].rows ||
        call->in[i].pitch != call->out[0].pitch)
      return tigris_cn_fallback(call);
  }
  if (call->op->opcode == TIGRIS_OP_MUL)
    return tigris_cn_status(arm_elementwise_mul_s8(a, b, aOffset, bOffset, tigris_cn_output(call),
                                                   yOffset, p->out_multiplier, p->out_shift,
                                                   p->lo.i, p->hi.i, count));
  return tigris_cn_status(
      arm_elementwise_add_s8(a, b, aOffset, p->a_multiplier, p->a_shift, bOffset, p->b_multiplier,
                             p->b_shift, p->left_shift, tigris_cn_output(call), yOffset,
                             p->out_multiplier, p->out_shift, p->lo.i, p->hi.i, count));
}

#endif

#if TIGRIS_CMSIS_NN_SOFTMAX

int tigris_cn_softmax_serves(const tigris_cn_op* o) {
  const tigris_softmax_params* p = (const tigris_softmax_params*)o->params;
  return p->axis == (int32_t)o->x->rank - 1;
}

tigris_status tigris_cn_softmax(const tigris_call* call) {
  const tigris_softmax_params* p = (const tigris_softmax_params*)call->params;
  const int32_t size = call->out[0].dims[p->axis];
  if (call->in[0].first != call->out[0].first || call->in[0].rows != call->out[0].rows)
    return tigris_cn_fallback(call);
  arm_softmax_s8(tigris_cn_input(call, 0), (int32_t)tigris_span_of(&call->out[0]).count / size,
                 size, p->multiplier, p->left_shift, p->diff_min, tigris_cn_output(call));
  return TIGRIS_OK;
}

#endif
