/* Element-wise sums and products of two equal shapes, and softmax over the last axis, on
 * CMSIS-NN. */
#include "adapter.h"

#if TIGRIS_CMSIS_NN_BINARY

int tigris_cn_binary_serves(const tigris_vendor_op* o) {
  /* The sum packs operands into 16 bits and shifts the rest out. */
  return tigris_vendor_same_shapes(o) &&
         (o->op->opcode == TIGRIS_OP_MUL ||
          ((const tigris_binary_params*)o->params)->left_shift >= 16);
}

tigris_status tigris_cn_binary(const tigris_call* call) {
  const tigris_binary_params* p = (const tigris_binary_params*)call->params;
  const int32_t aOffset = -tigris_zero_point(call->plan, call->in[0].tensor);
  const int32_t bOffset = -tigris_zero_point(call->plan, call->in[1].tensor);
  const int32_t yOffset = tigris_zero_point(call->plan, call->out[0].tensor);
  const int32_t count = (int32_t)tigris_span_of(&call->out[0]).count;
  const int8_t* a = tigris_vendor_input(call, 0);
  const int8_t* b = tigris_vendor_input(call, 1);
  if (!tigris_vendor_same_rows(call, 2))
    return tigris_vendor_fallback(call);
  if (call->op->opcode == TIGRIS_OP_MUL)
    return tigris_cn_status(
        arm_elementwise_mul_s8(a, b, aOffset, bOffset, tigris_vendor_output(call), yOffset,
                               p->out_multiplier, p->out_shift, p->lo.i, p->hi.i, count));
  return tigris_cn_status(
      arm_elementwise_add_s8(a, b, aOffset, p->a_multiplier, p->a_shift, bOffset, p->b_multiplier,
                             p->b_shift, p->left_shift, tigris_vendor_output(call), yOffset,
                             p->out_multiplier, p->out_shift, p->lo.i, p->hi.i, count));
}

#endif

#if TIGRIS_CMSIS_NN_SOFTMAX

tigris_status tigris_cn_softmax(const tigris_call* call) {
  const tigris_softmax_params* p = (const tigris_softmax_params*)call->params;
  const int32_t size = call->out[0].dims[p->axis];
  if (!tigris_vendor_same_rows(call, 1))
    return tigris_vendor_fallback(call);
  arm_softmax_s8(tigris_vendor_input(call, 0), (int32_t)tigris_span_of(&call->out[0]).count / size,
                 size, p->multiplier, p->left_shift, p->diff_min, tigris_vendor_output(call));
  return TIGRIS_OK;
}

#endif
