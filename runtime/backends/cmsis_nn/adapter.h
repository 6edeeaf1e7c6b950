/* The CMSIS-NN adapters of all ops (common/vendor.h describes adapters), and the code they
 * share. */
#ifndef TIGRIS_CMSIS_NN_ADAPTER_H
#define TIGRIS_CMSIS_NN_ADAPTER_H

#include "arm_nnfunctions.h"
#include "arm_nnsupportfunctions.h"
#include "dsp.h"
#include "helium.h"
#include "tigris_cmsis_nn.h"
#include "tigris_scratch.h"
#include "vendor.h"

#if defined(ARM_MATH_MVEI) || defined(TIGRIS_CMSIS_NN_EMULATE_MVE)
#define TIGRIS_CMSIS_NN_ISA TIGRIS_CMSIS_NN_MVE
#elif defined(ARM_MATH_DSP) || defined(TIGRIS_CMSIS_NN_EMULATE_DSP)
#define TIGRIS_CMSIS_NN_ISA TIGRIS_CMSIS_NN_DSP
#else
#define TIGRIS_CMSIS_NN_ISA TIGRIS_CMSIS_NN_C
#endif

int tigris_cn_conv_serves(const tigris_vendor_op* o);
int tigris_cn_depthwise_serves(const tigris_vendor_op* o);
int tigris_cn_binary_serves(const tigris_vendor_op* o);

uint32_t tigris_cn_conv_scratch(const tigris_vendor_op* o);
uint32_t tigris_cn_depthwise_scratch(const tigris_vendor_op* o);
uint32_t tigris_cn_dense_scratch(const tigris_vendor_op* o);
uint32_t tigris_cn_pool_scratch(const tigris_vendor_op* o);

tigris_status tigris_cn_conv(const tigris_call* call);
tigris_status tigris_cn_depthwise(const tigris_call* call);
tigris_status tigris_cn_dense(const tigris_call* call);
tigris_status tigris_cn_max_pool(const tigris_call* call);
tigris_status tigris_cn_average_pool(const tigris_call* call);
tigris_status tigris_cn_global_average_pool(const tigris_call* call);
tigris_status tigris_cn_binary(const tigris_call* call);
tigris_status tigris_cn_softmax(const tigris_call* call);

/* Whether the call has too little scratch for its op. */
static inline int tigris_cn_lacks(const tigris_call* call) {
  return call->is_short &&
         tigris_backend_cmsis_nn.scratch_bytes(call->plan, call->op) > call->scratch_bytes;
}

static inline cmsis_nn_dims tigris_cn_dims(const tigris_view* view) {
  const tigris_shape4 s = tigris_view_shape(view);
  cmsis_nn_dims d;
  d.n = s.n;
  d.h = s.h;
  d.w = s.w;
  d.c = s.c;
  return d;
}

#ifdef TIGRIS_CMSIS_NN_OWN_DSP
/* The requantization constants of a dense op. */
static inline tigris_dsp_finish tigris_cn_finish(const tigris_call* call, uint32_t channel,
                                                 int32_t lo, int32_t hi) {
  const tigris_requant r = tigris_requant_of(call->plan, call->op, call->in[1].tensor);
  tigris_dsp_finish f;
  f.bias = tigris_vendor_bias(call);
  f.multiplier = r.multiplier + channel * r.step;
  f.shift = r.shift + channel * r.shift_step;
  f.pair_step = r.step;
  f.shift_step = r.shift_step;
  f.out_zero = tigris_zero_point(call->plan, call->out[0].tensor);
  f.lo = lo;
  f.hi = hi;
  f.is_open = lo == -128 && hi == 127;
  return f;
}
#endif

#ifdef TIGRIS_CMSIS_NN_OWN_MVE
/* A dense op whose bias is not folded yet. Takes tigris_scratch_pairs and tigris_scratch_folded
 * from the front of *scratch. */
static inline tigris_mve_product tigris_cn_product(const tigris_call* call, uint32_t channel,
                                                   int32_t lo, int32_t hi, uint32_t outputs,
                                                   uint32_t depth, uint8_t** scratch) {
  const tigris_vendor_pairs pairs =
      tigris_vendor_pairs_of(call, channel, (int32_t)outputs, scratch);
  tigris_mve_product p;
  p.weights = tigris_vendor_input(call, 1);
  p.bias = (int32_t*)(void*)*scratch;
  p.multiplier = pairs.multiplier;
  p.shift = pairs.shift;
  p.depth = depth;
  p.outputs = outputs;
  p.out_zero = tigris_zero_point(call->plan, call->out[0].tensor);
  p.lo = lo;
  p.hi = hi;
  *scratch += 4u * (outputs + 1u);
  return p;
}
#endif

static inline tigris_status tigris_cn_status(arm_cmsis_nn_status status) {
  return status == ARM_CMSIS_NN_SUCCESS ? TIGRIS_OK : TIGRIS_E_KERNEL;
}

#endif /* TIGRIS_CMSIS_NN_ADAPTER_H */
