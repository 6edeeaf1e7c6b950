/* Maximum and average pools on CMSIS-NN. */
#include "adapter.h"

#if TIGRIS_CMSIS_NN_POOL

uint32_t tigris_cn_pool_scratch(const tigris_vendor_op* o) {
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
  if (!tigris_vendor_is_dense(&call->in[0]) || !tigris_vendor_is_dense(&call->out[0]))
    return tigris_vendor_fallback(call);
  params.stride.h = p->stride_h;
  params.stride.w = p->stride_w;
  params.padding.h = p->pad_top;
  params.padding.w = p->pad_left;
  params.activation.min = p->lo.i;
  params.activation.max = p->hi.i;
  if (tigris_cn_lacks(call))
    return tigris_vendor_without_scratch(call);
  window.n = window.c = 1;
  window.h = p->kernel_h;
  window.w = p->kernel_w;
  context.buf = call->scratch;
  context.size = 0;
  return tigris_cn_status(kernel(&context, &params, &in, tigris_vendor_input(call, 0), &window,
                                 &out, tigris_vendor_output(call)));
}

tigris_status tigris_cn_max_pool(const tigris_call* call) {
  return pool(call, arm_max_pool_s8, (const tigris_pool_params*)call->params);
}

tigris_status tigris_cn_average_pool(const tigris_call* call) {
  return pool(call, arm_avgpool_s8, (const tigris_pool_params*)call->params);
}

tigris_status tigris_cn_global_average_pool(const tigris_call* call) {
  const tigris_pool_params window = tigris_vendor_global_window(call);
  return pool(call, arm_avgpool_s8, &window);
}

#endif
