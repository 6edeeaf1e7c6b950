/* Maximum and average pools on CMSIS-NN. */
#include "adapter.h"

#if TIGRIS_CMSIS_NN_POOL

int tigris_cn_pool_serves(const tigris_cn_op* o) {
  const tigris_pool_params* p = (const tigris_pool_params*)o->params;
  const tigris_shape4 x = tigris_shape4_of(o->plan, o->x);
  if (!tigris_cn_small(x.c, 1, 1) || o->x->rank < 2 || o->x->rank > 4)
    return 0;
  if (o->op->opcode == TIGRIS_OP_GLOBAL_AVERAGE_POOL)
    return ((const tigris_global_pool_params*)o->params)->requant == TIGRIS_NONE;
  return p->dilation_h == 1 && p->dilation_w == 1 &&
         (o->op->opcode == TIGRIS_OP_MAX_POOL ||
          (p->requant == TIGRIS_NONE && (p->flags & TIGRIS_POOL_COUNT_PAD) == 0));
}

uint32_t tigris_cn_pool_scratch(const tigris_cn_op* o) {
  return tigris_cmsis_nn_average_pool_scratch(TIGRIS_CMSIS_NN_ISA,
                                              (uint32_t)tigris_shape4_of(o->plan, o->x).c);
}

typedef arm_cmsis_nn_status (*Pool)(const cmsis_nn_context* context,
                                    const cmsis_nn_pool_params* params, const cmsis_nn_dims* in,
                                    const int8_t* x, const cmsis_nn_dims* window,
                                    const cmsis_nn_dims* out, int8_t* y);

static tigris_status pool(const tigris_call* call, Pool kernel, const tigris_pool_params* p) {
  const cmsis_nn_dims in = tigris_cn_dims(&call->in[0]);
  const cmsis_nn_dims out = tigris_cn_dims(&call->out[0]);
  cmsis_nn_pool_params params;
  cmsis_nn_dims window;
  cmsis_nn_context context;
  if (!tigris_cn_is_dense(&call->in[0]) || !tigris_cn_is_dense(&call->out[0]))
    return tigris_cn_fallback(call);
  params.stride.h = p->stride_h;
  params.stride.w = p->stride_w;
  params.padding.h = p->pad_top;
  params.padding.w = p->pad_left;
  params.activation.min = p->lo.i;
  params.activation.max = p->hi.i;
  window.n = window.c = 1;
  window.h = p->kernel_h;
  window.w = p->kernel_w;
  context.buf = call->scratch;
  context.size = 0;
  return tigris_cn_status(kernel(&context, &params, &in, tigris_cn_input(call, 0), &window, &out,
                                 tigris_cn_output(call)));
}

tigris_status tigris_cn_max_pool(const tigris_call* call) {
  return pool(call, arm_max_pool_s8, (const tigris_pool_params*)call->params);
}

tigris_status tigris_cn_average_pool(const tigris_call* call) {
  return pool(call, arm_avgpool_s8, (const tigris_pool_params*)call->params);
}

tigris_status tigris_cn_global_average_pool(const tigris_call* call) {
  const tigris_global_pool_params* p = (const tigris_global_pool_params*)call->params;
  const tigris_shape4 in = tigris_view_shape(&call->in[0]);
  tigris_pool_params window = {0};
  window.kernel_h = in.h;
  window.kernel_w = in.w;
  window.stride_h = window.stride_w = 1;
  window.lo = p->lo;
  window.hi = p->hi;
  return pool(call, arm_avgpool_s8, &window);
}

#endif
