/* Code shared by the adapters to vendors' int8 kernels: which ops they serve, access to operands,
 * the fallback.
 *
 * A vendor backend is a table of adapters. `serves` looks at the plan only and decides whether the
 * vendor can compute the whole op. Its answer selects the kernel in tigris_backend.find, and with
 * it the scratch. The kernel may still receive a call that the vendor cannot compute (rows of a
 * rolling buffer, a range of channels). It then runs the reference kernel, which gives the same
 * bytes. If there is too little scratch, it returns TIGRIS_E_SCRATCH, and the executor runs the
 * reference kernel. */
#ifndef TIGRIS_VENDOR_H
#define TIGRIS_VENDOR_H

#include "tigris_backend.h"
#include "tigris_scratch.h"
#include "view.h"

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

/* Limits of the calls that adapters forward. Larger ops are legal and run on the reference kernels.
 *
 * Dimensions, strides, pads, and products of kernel and channels: vendors keep them in 16 bits,
 * partly signed. */
#define TIGRIS_VENDOR_MOST 32767u
/* Values of one average: vendors add in int32, and some visit every tap of a window, including
 * padding. */
#define TIGRIS_VENDOR_TAPS 65536u
/* Values of one softmax: its sum has 12 integer bits, and the shift of the result leaves 9 of
 * them. */
#define TIGRIS_VENDOR_CLASSES 511

/* One op of a plan. `x`, `w` and `y` are the tensors of operands 0, 1 (may be NULL) and of the
 * output. */
typedef struct tigris_vendor_op {
  const tigris_plan* plan;
  const tigris_op* op;
  const void* params;
  const tigris_tensor* x;
  const tigris_tensor* w;
  const tigris_tensor* y;
} tigris_vendor_op;

typedef struct tigris_vendor_adapter {
  uint8_t opcode;
  int (*serves)(const tigris_vendor_op* o);
  uint32_t (*scratch)(const tigris_vendor_op* o); /* NULL: none */
  tigris_kernel kernel;                           /* NULL marks the end of a table */
} tigris_vendor_adapter;

static inline tigris_vendor_op tigris_vendor_op_of(const tigris_plan* plan, const tigris_op* op) {
  const tigris_operand* operands = plan->operands + op->operands;
  tigris_vendor_op o;
  o.plan = plan;
  o.op = op;
  o.params = tigris_params(plan, op);
  o.x = &plan->tensors[operands[0].tensor];
  o.w = op->inputs > 1 ? &plan->tensors[operands[1].tensor] : NULL;
  o.y = &plan->tensors[operands[op->inputs].tensor];
  return o;
}

/* The adapter in a table that serves an op; NULL if there is none. */
static inline const tigris_vendor_adapter*
tigris_vendor_find(const tigris_vendor_adapter* a, const tigris_plan* plan, const tigris_op* op) {
  tigris_vendor_op o;
  while (a->kernel != NULL && a->opcode != op->opcode)
    ++a;
  if (a->kernel == NULL || (op->flags & TIGRIS_ROUND_EVEN) != 0) /* vendors round as TFLite does */
    return NULL;
  o = tigris_vendor_op_of(plan, op);
  return o.x->dtype == TIGRIS_S8 && o.y->dtype == TIGRIS_S8 && a->serves(&o) ? a : NULL;
}

static inline tigris_kernel tigris_vendor_kernel(const tigris_vendor_adapter* table,
                                                 const tigris_plan* plan, const tigris_op* op) {
  const tigris_vendor_adapter* a = tigris_vendor_find(table, plan, op);
  return a == NULL ? tigris_backend_reference.find(plan, op) : a->kernel;
}

static inline uint32_t tigris_vendor_scratch(const tigris_vendor_adapter* table,
                                             const tigris_plan* plan, const tigris_op* op) {
  const tigris_vendor_adapter* a = tigris_vendor_find(table, plan, op);
  const tigris_vendor_op o = tigris_vendor_op_of(plan, op);
  return a == NULL || a->scratch == NULL ? 0 : a->scratch(&o);
}

/* Runs the call on the reference kernel. */
static inline tigris_status tigris_vendor_fallback(const tigris_call* call) {
  const tigris_kernel kernel = tigris_backend_reference.find(call->plan, call->op);
  return kernel == NULL ? TIGRIS_E_KERNEL : kernel(call);
}

/* The same for lack of scratch, by the executor if it counts such calls. */
static inline tigris_status tigris_vendor_without_scratch(const tigris_call* call) {
  return TIGRIS_SCRATCH_FALLBACK ? TIGRIS_E_SCRATCH : tigris_vendor_fallback(call);
}

/* An int8 problem with all rows contiguous, as vendors require. */
static inline int tigris_vendor_is_dense(const tigris_view* view) {
  const tigris_shape4 s = tigris_view_shape(view);
  return view->first == 0 && view->rows == (uint32_t)s.n * (uint32_t)s.h &&
         view->pitch == (uint32_t)s.w * (uint32_t)s.c;
}

static inline const int8_t* tigris_vendor_input(const tigris_call* call, uint32_t index) {
  return (const int8_t*)(const void*)call->in[index].data;
}

static inline int8_t* tigris_vendor_output(const tigris_call* call) {
  return (int8_t*)(void*)call->out[0].data;
}

/* Bias of a dense op; NULL if it has none. */
static inline const int32_t* tigris_vendor_bias(const tigris_call* call) {
  return call->op->inputs > 2 ? (const int32_t*)(const void*)call->in[2].data : NULL;
}

static inline int tigris_vendor_has_bias(const tigris_vendor_op* o) {
  return o->op->inputs > 2 && o->plan->operands[o->op->operands + 2].pool != TIGRIS_POOL_ABSENT;
}

/* Whether a number, or each of several numbers joined by |, is in [0, bound]. Joining is exact
 * because the bound is all ones. */
static inline int tigris_vendor_fits(int32_t joined) {
  return (uint32_t)joined <= TIGRIS_VENDOR_MOST;
}

/* Sizes fit 16 bits and weights have no zero points. */
static inline int tigris_vendor_plain_conv(const tigris_vendor_op* o) {
  const tigris_conv_params* p = (const tigris_conv_params*)o->params;
  const tigris_shape4 x = tigris_shape4_of(o->plan, o->x);
  const tigris_shape4 y = tigris_shape4_of(o->plan, o->y);
  return !tigris_has_zeros(o->op) &&
         tigris_vendor_fits(x.c | y.h | y.w | y.c | p->kernel_h | p->kernel_w | p->stride_h |
                            p->stride_w |
                            (x.h + p->pad_top + p->pad_bottom + p->dilation_h * p->kernel_h) |
                            (x.w + p->pad_left + p->pad_right + p->dilation_w * p->kernel_w)) &&
         (uint64_t)(uint32_t)p->kernel_h * (uint32_t)p->kernel_w * (uint32_t)x.c <=
             TIGRIS_VENDOR_MOST;
}

/* No window is entirely in the padding. */
static inline int tigris_vendor_windows_meet(const tigris_conv_params* p) {
  return p->pad_top < p->kernel_h && p->pad_bottom < p->kernel_h && p->pad_left < p->kernel_w &&
         p->pad_right < p->kernel_w;
}

static inline int tigris_vendor_plain_dense(const tigris_vendor_op* o) {
  const int32_t* dims = tigris_dims(o->plan, o->w);
  return !tigris_has_zeros(o->op) && tigris_vendor_fits(dims[0] | dims[1]);
}

/* No dilation; averages use TFLite's rounding over the taps inside the input. */
static inline int tigris_vendor_plain_pool(const tigris_vendor_op* o) {
  const tigris_pool_params* p = (const tigris_pool_params*)o->params;
  const tigris_shape4 x = tigris_shape4_of(o->plan, o->x);
  const tigris_shape4 y = tigris_shape4_of(o->plan, o->y);
  if (!tigris_vendor_fits(x.c | x.h | x.w) || o->x->rank < 2 || o->x->rank > 4)
    return 0;
  if (o->op->opcode == TIGRIS_OP_GLOBAL_AVERAGE_POOL)
    return ((const tigris_global_pool_params*)o->params)->requant == TIGRIS_NONE &&
           (uint32_t)(x.h * x.w) <= TIGRIS_VENDOR_TAPS;
  return tigris_vendor_fits(y.h | y.w | p->kernel_h | p->kernel_w | p->stride_h | p->stride_w |
                            p->pad_top | p->pad_left) &&
         (uint32_t)(p->kernel_h * p->kernel_w) <= TIGRIS_VENDOR_TAPS && p->dilation_h == 1 &&
         p->dilation_w == 1 &&
         (o->op->opcode == TIGRIS_OP_MAX_POOL ||
          (p->requant == TIGRIS_NONE && (p->flags & TIGRIS_POOL_COUNT_PAD) == 0));
}

/* The window of a global average over the input of the call. */
static inline tigris_pool_params tigris_vendor_global_window(const tigris_call* call) {
  const tigris_global_pool_params* p = (const tigris_global_pool_params*)call->params;
  const tigris_shape4 in = tigris_view_shape(&call->in[0]);
  tigris_pool_params window = {0};
  window.kernel_h = in.h;
  window.kernel_w = in.w;
  window.stride_h = window.stride_w = 1;
  window.lo = p->lo;
  window.hi = p->hi;
  return window;
}

/* Operands have the same shape: no broadcasting. */
static inline int tigris_vendor_same_shapes(const tigris_vendor_op* o) {
  const int32_t* a = tigris_dims(o->plan, o->x);
  const int32_t* b = tigris_dims(o->plan, o->w);
  uint32_t i;
  if (o->x->rank != o->w->rank)
    return 0;
  for (i = 0; i < o->x->rank; ++i) {
    if (a[i] != b[i])
      return 0;
  }
  return 1;
}

/* Both inputs hold the rows of the output, contiguously. */
static inline int tigris_vendor_same_rows(const tigris_call* call, uint32_t inputs) {
  uint32_t i;
  for (i = 0; i < inputs; ++i) {
    if (call->in[i].first != call->out[0].first || call->in[i].rows != call->out[0].rows ||
        call->in[i].pitch != call->out[0].pitch)
      return 0;
  }
  return 1;
}

/* Last axis, few classes, and scaled differences that matter fit int32. */
static inline int tigris_vendor_plain_softmax(const tigris_vendor_op* o) {
  const tigris_softmax_params* p = (const tigris_softmax_params*)o->params;
  return o->y->dtype == TIGRIS_S8 && p->axis == (int32_t)o->x->rank - 1 &&
         tigris_dims(o->plan, o->x)[p->axis] <= TIGRIS_VENDOR_CLASSES &&
         p->diff_min >= -(INT32_MAX >> p->left_shift);
}

/* One pair per output channel, as vendors require. */
typedef struct tigris_vendor_pairs {
  int32_t* multiplier; /* read only */
  int32_t* shift;
} tigris_vendor_pairs;

static inline int tigris_vendor_is_per_tensor(const tigris_op* op) {
  return (op->flags & TIGRIS_CHANNEL_PAIRS) == 0;
}

static inline int tigris_vendor_is_wide(const tigris_op* op) {
  return (op->flags & TIGRIS_WIDE_SHIFTS) != 0;
}

/* Words per channel that tigris_vendor_pairs_of takes from the scratch. */
static inline uint32_t tigris_vendor_pair_words(const tigris_op* op, int32_t channels) {
  return tigris_scratch_pair_words(tigris_vendor_is_per_tensor(op), tigris_vendor_is_wide(op),
                                   (uint32_t)channels);
}

/* Writes `count` times `word`; returns the end. */
static inline int32_t* tigris_vendor_fill(int32_t* to, int32_t word, int32_t count) {
#if defined(__ARM_FEATURE_MVE)
  for (; count >= 4; count -= 4, to += 4)
    vst1q_s32(to, vdupq_n_s32(word));
#endif
  for (; count > 0; --count)
    *to++ = word;
  return to;
}

/* Writes `count` bytes as words; returns the end. */
static inline int32_t* tigris_vendor_widen(int32_t* to, const int8_t* from, int32_t count) {
#if defined(__ARM_FEATURE_MVE)
  for (; count >= 4; count -= 4, to += 4, from += 4)
    vst1q_s32(to, vldrbq_s32(from));
#endif
  for (; count > 0; --count)
    *to++ = *from++;
  return to;
}

/* The pairs of a dense op for `channels` outputs from `channel` on. What the plan does not hold in
 * this form is written to *scratch, which then advances. */
static inline tigris_vendor_pairs tigris_vendor_pairs_of(const tigris_call* call, uint32_t channel,
                                                         int32_t channels, uint8_t** scratch) {
  const tigris_requant r = tigris_requant_of(call->plan, call->op, call->in[1].tensor);
  const int32_t* multiplier = r.multiplier + channel * r.step;
  const int8_t* shift = r.shift + channel * r.shift_step;
  tigris_vendor_pairs q;
  int32_t* to = (int32_t*)(void*)*scratch;
  q.multiplier = (int32_t*)(uintptr_t)multiplier;
  q.shift = (int32_t*)(uintptr_t)shift;
  if (r.step == 0 && channels > 1) {
    q.multiplier = to;
    to = tigris_vendor_fill(to, *multiplier, channels);
  }
  if ((r.step == 0 && channels > 1) || !tigris_vendor_is_wide(call->op)) {
    q.shift = to;
    to = r.shift_step == 0 ? tigris_vendor_fill(to, *shift, channels)
                           : tigris_vendor_widen(to, shift, channels);
  }
  *scratch = (uint8_t*)to;
  return q;
}

#endif /* TIGRIS_VENDOR_H */
