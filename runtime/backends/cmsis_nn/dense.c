/* Dense layers on CMSIS-NN. */
#include "adapter.h"

#if TIGRIS_CMSIS_NN_DENSE

uint32_t tigris_cn_dense_scratch(const tigris_vendor_op* o) {
  const int32_t* dims = tigris_dims(o->plan, o->w);
  return tigris_cmsis_nn_dense_scratch(TIGRIS_CMSIS_NN_ISA, (uint32_t)dims[1], (uint32_t)dims[0],
                                       tigris_vendor_is_per_tensor(o->op),
                                       tigris_vendor_is_wide(o->op));
}

tigris_status tigris_cn_dense(const tigris_call* call) {
  const tigris_fc_params* p = (const tigris_fc_params*)call->params;
  const int32_t* dims = call->in[1].dims; /* [N, K] of this call's problem */
  const int32_t zero = tigris_zero_point(call->plan, call->in[0].tensor);
  const tigris_span span = tigris_span_of(&call->out[0]);
  const int32_t rows = (int32_t)span.count / dims[0];
  const int8_t* w = tigris_vendor_input(call, 1);
  const int8_t* x = tigris_vendor_input(call, 0);
  int8_t* y = tigris_vendor_output(call);
  if (!tigris_vendor_is_dense(&call->in[0]) || !tigris_vendor_is_dense(&call->out[0]))
    return tigris_vendor_fallback(call);
  if (tigris_cn_lacks(call))
    return tigris_vendor_without_scratch(call);
#ifdef TIGRIS_CMSIS_NN_OWN_DSP
  {
    const tigris_dsp_finish finish = tigris_cn_finish(call, p->channel, p->lo.i, p->hi.i);
    int32_t i;
    for (i = 0; i < rows; ++i) {
      tigris_dsp_widen((uint32_t*)call->scratch, x, (uint32_t)dims[1], zero, 1);
      tigris_dsp_one_column((const uint32_t*)call->scratch, w, (uint32_t)dims[1], (uint32_t)dims[0],
                            &finish, y);
      x += dims[1];
      y += dims[0];
    }
    return TIGRIS_OK;
  }
#else
  {
    const int32_t outZero = tigris_zero_point(call->plan, call->out[0].tensor);
    const tigris_requant r = tigris_requant_of(call->plan, call->op, call->in[1].tensor);
    const int32_t* bias = tigris_vendor_bias(call);
    int32_t i;
    /* Helium: the kernel for dense layers takes precomputed sums of the weights, which would be
     * recomputed in every call; the kernel for pointwise convolutions computes them on the fly. */
    if (r.step != 0 || TIGRIS_CMSIS_NN_ISA == TIGRIS_CMSIS_NN_MVE) {
      uint8_t* scratch = (uint8_t*)call->scratch;
      const tigris_vendor_pairs pairs = tigris_vendor_pairs_of(call, p->channel, dims[0], &scratch);
      return tigris_cn_status(arm_nn_mat_mult_nt_t_s8(x, w, bias, y, pairs.multiplier, pairs.shift,
                                                      rows, dims[0], dims[1], -zero, outZero,
                                                      p->lo.i, p->hi.i, dims[1]));
    }
    for (i = 0; i < rows; ++i) {
      arm_nn_vec_mat_mult_t_s8(x, w, NULL, bias, y, -zero, outZero, *r.multiplier, *r.shift,
                               dims[1], dims[0], p->lo.i, p->hi.i, 1);
      x += dims[1];
      y += dims[0];
    }
    return TIGRIS_OK;
  }
#endif
}

#endif
