/* The validator: everything that tigris_plan_open checks after the directory, split by subject.
 *
 * Every function returns TIGRIS_OK or the error. A function trusts only what the functions called
 * before it have checked: first tables, then ops, then the schedule. */
#ifndef TIGRIS_CHECK_H
#define TIGRIS_CHECK_H

#include "box.h"
#include "fixed_point.h"
#include "view.h"

/* Checks all records. Sets error_op. */
tigris_status tigris_check_records(tigris_plan* plan);
/* Stages, which must contain all ops; weight blocks; and the placement of operands in the fast
 * arena. */
tigris_status tigris_check_stages(const tigris_plan* plan);
/* The tiling of a tiled or streamed stage whose ops have been checked. */
tigris_status tigris_check_tiling(const tigris_plan* plan, const tigris_stage* stage);
/* One tigris_op: operands, parameters, overlaps and the contract of its opcode. */
tigris_status tigris_check_op(const tigris_plan* plan, const void* record);

/* An op under check, with its operands resolved to tensors. */
typedef struct tigris_op_check {
  const tigris_plan* plan;
  const tigris_op* op;
  const void* params;
} tigris_op_check;

/* Tensor of input `i`; NULL if it is absent. */
const tigris_tensor* tigris_in(const tigris_op_check* c, uint32_t i);

/* Tensor of output `i`; always present. */
const tigris_tensor* tigris_out(const tigris_op_check* c, uint32_t i);

/* The contracts that tigris_opcodes.def names; c->params has the size that the opcode requires. */
#define TIGRIS_OPCODE(name, number, required, most, in_place, outputs, even, params, check,        \
                      family)                                                                      \
  tigris_status check(const tigris_op_check* c);
#include "tigris_opcodes.def"

/* ---- shared predicates: 1 if the condition is true */

/* [first, first + count) is inside [0, size). */
int tigris_within(uint32_t size, uint32_t first, uint32_t count);

/* [offset, offset + bytes) is aligned and inside the range of the pool. FAST: after the reserved
 * prefix. UNPACKED: inside the prefix. SLOW: inside slow memory. CALLER: `offset` is a port with
 * that many bytes, and no constant. */
int tigris_placed(const tigris_plan* plan, uint32_t pool, uint32_t offset, uint32_t bytes);

/* The `rank` INTS starting at `perm` are a permutation p of [0, rank) with from[p[i]] == to[i]. */
int tigris_permutes(const tigris_plan* plan, uint32_t perm, uint32_t rank, const int32_t* from,
                    const int32_t* to);

/* The tensors have the same dimensions. */
int tigris_same_dims(const tigris_plan* plan, const tigris_tensor* a, const tigris_tensor* b);

/* `count` ints starting at `index` are inside INTS. */
static inline int tigris_has_ints(const tigris_plan* plan, uint32_t index, uint32_t count) {
  return tigris_within(plan->int_count, index, count);
}

static inline int tigris_shift_ok(int32_t shift) { return shift >= -31 && shift <= 30; }

/* Input and output of an arithmetic op: both F32, or both S8 or both S16 with quantization. */
static inline int tigris_arithmetic_pair(const tigris_tensor* x, const tigris_tensor* y) {
  return x->dtype == y->dtype &&
         (x->dtype == TIGRIS_F32 || (tigris_is_quantized(x) && tigris_is_quantized(y)));
}

/* Largest stored value of a quantized dtype; the smallest is -largest - 1. */
static inline int32_t tigris_largest(uint32_t dtype) {
  return dtype == TIGRIS_S16 ? INT16_MAX : INT8_MAX;
}

static inline int tigris_clamp_ok(uint32_t dtype, tigris_scalar lo, tigris_scalar hi) {
  if (dtype == TIGRIS_F32)
    return lo.f <= hi.f;
  return lo.i >= -tigris_largest(dtype) - 1 && hi.i <= tigris_largest(dtype) && lo.i <= hi.i;
}

/* The shift word of a pair of the op is legal; with TIGRIS_ROUND_EVEN it is a denominator. */
static inline int tigris_scale_ok(const tigris_op_check* c, int32_t shift) {
  return tigris_rounds_even(c->op) ? tigris_denominator_ok(shift) : tigris_shift_ok(shift);
}

/* REQUANT holds `count` multipliers followed by `count` legal shifts, starting at `index`. */
int tigris_requant_ok(const tigris_op_check* c, uint32_t index, uint32_t count);

/* Each dimension of `small`, aligned at the last axis, is 1 or equals that of `big`. The last
 * `skip` axes of both are ignored. */
int tigris_broadcasts(const tigris_plan* plan, const tigris_tensor* small, const tigris_tensor* big,
                      uint32_t skip);

#endif /* TIGRIS_CHECK_H */
