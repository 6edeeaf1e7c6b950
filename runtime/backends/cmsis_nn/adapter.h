/* What the CMSIS-NN adapters share: which ops they take, the shapes they hand over, scratch, and the fallback.
 *
 * Each op has two functions. `..._serves` looks at the plan only and decides whether CMSIS-NN computes the op
 * whole; its answer chooses the kernel in tigris_backend.find and thereby the scratch. The kernel may still meet a call that
 * CMSIS-NN cannot do (rows of a rolling buffer, a range of channels): it then runs the reference
 * kernel, which gives the same bytes. */
#ifndef TIGRIS_CMSIS_NN_ADAPTER_H
#define TIGRIS_CMSIS_NN_ADAPTER_H

#include "arm_nnfunctions.h"
#include "arm_nnsupportfunctions.h"
#include "dsp.h"
#include "tigris_backend.h"
#include "tigris_scratch.h"
#include "view.h"

#if defined(ARM_MATH_MVEI)
#define TIGRIS_CMSIS_NN_ISA TIGRIS_CMSIS_NN_MVE
#elif defined(ARM_MATH_DSP) || defined(TIGRIS_CMSIS_NN_EMULATE_DSP)
#define TIGRIS_CMSIS_NN_ISA TIGRIS_CMSIS_NN_DSP
#else
#define TIGRIS_CMSIS_NN_ISA TIGRIS_CMSIS_NN_C
#endif

/* One int8 op as the plan has it; `x`, `w` and `y` are the tensors of operands 0, 1 and the output. */
typedef struct tigris_cn_op {
  const tigris_plan* plan;
  const tigris_op* op;
  const void* params;
  const tigris_tensor* x;
  const tigris_tensor* w;
  const tigris_tensor* y;
} tigris_cn_op;

int tigris_cn_conv_serves(const tigris_cn_op* o);
int tigris_cn_depthwise_serves(const tigris_cn_op* o);
int tigris_cn_dense_serves(const tigris_cn_op* o);
int tigris_cn_pool_serves(const tigris_cn_op* o); /* maximum, average and global average */
int tigris_cn_binary_serves(const tigris_cn_op* o);
int tigris_cn_softmax_serves(const tigris_cn_op* o);

uint32_t tigris_cn_conv_scratch(const tigris_cn_op* o);
uint32_t tigris_cn_depthwise_scratch(const tigris_cn_op* o);
uint32_t tigris_cn_dense_scratch(const tigris_cn_op* o);
uint32_t tigris_cn_pool_scratch(const tigris_cn_op* o);

tigris_status tigris_cn_conv(const tigris_call* call);
tigris_status tigris_cn_depthwise(const tigris_call* call);
tigris_status tigris_cn_dense(const tigris_call* call);
tigris_status tigris_cn_max_pool(const tigris_call* call);
tigris_status tigris_cn_average_pool(const tigris_call* call);
tigris_status tigris_cn_global_average_pool(const tigris_call* call);
tigris_status tigris_cn_binary(const tigris_call* call);
tigris_status tigris_cn_softmax(const tigris_call* call);

/* The call on the reference kernels. */
static inline tigris_status tigris_cn_fallback(const tigris_call* call) {
  const tigris_kernel kernel = tigris_backend_reference.find(call->plan, call->op);
  return kernel == NULL ? TIGRIS_E_KERNEL : kernel(call);
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

/* All rows of a problem, one behind the other: what CMSIS-NN takes. */
static inline int tigris_cn_is_dense(const tigris_view* view) {
  const tigris_shape4 s = tigris_view_shape(view);
  return view->first == 0 && view->rows == (uint32_t)s.n * (uint32_t)s.h &&
         view->pitch == (uint32_t)s.w * (uint32_t)s.c * tigris_element_size(view->tensor->dtype);
}

static inline const int8_t* tigris_cn_input(const tigris_call* call, uint32_t index) {
  return (const int8_t*)(const void*)call->in[index].data;
}

static inline int8_t* tigris_cn_output(const tigris_call* call) {
  return (int8_t*)(void*)call->out[0].data;
}

/* Bias of a dense op; NULL when it has none. */
static inline const int32_t* tigris_cn_bias(const tigris_call* call) {
  return call->op->inputs > 2 ? (const int32_t*)(const void*)call->in[2].data : NULL;
}

#ifdef TIGRIS_CMSIS_NN_OWN_DSP
/* What follows the accumulators of a dense op. */
static inline tigris_dsp_finish tigris_cn_finish(const tigris_call* call, uint32_t requant,
                                                 uint32_t count, int32_t lo, int32_t hi) {
  tigris_dsp_finish f;
  f.bias = tigris_cn_bias(call);
  f.multiplier = call->plan->requant + requant;
  f.shift = f.multiplier + count;
  f.pair_step = count == 1 ? 0 : 1;
  f.out_zero = tigris_zero_point(call->plan, call->out[0].tensor);
  f.lo = lo;
  f.hi = hi;
  f.is_open = lo == -128 && hi == 127;
  return f;
}
#endif

static inline int tigris_cn_has_bias(const tigris_cn_op* o) {
  return o->op->inputs > 2 && o->plan->operands[o->op->operands + 2].pool != TIGRIS_POOL_ABSENT;
}

/* Product of dimensions as CMSIS-NN can count it. */
static inline int tigris_cn_small(int32_t a, int32_t b, int32_t c) {
  return (uint64_t)(uint32_t)a * (uint32_t)b * (uint32_t)c <= TIGRIS_CMSIS_NN_MOST;
}

static inline tigris_status tigris_cn_status(arm_cmsis_nn_status status) {
  return status == ARM_CMSIS_NN_SUCCESS ? TIGRIS_OK : TIGRIS_E_KERNEL;
}

#endif /* TIGRIS_CMSIS_NN_ADAPTER_H */
