/* Start of the matrices of a product's operands, for all element types. */
#ifndef TIGRIS_MATMUL_H
#define TIGRIS_MATMUL_H

#include "view.h"

/* Dimensions that give the layout of an operand: a constant may be a part of the tensor in the
 * plan. */
static inline const int32_t* tigris_matmul_layout(const tigris_call* call,
                                                  const tigris_view* operand) {
  const tigris_tensor* t = operand->tensor;
  return (t->flags & TIGRIS_TENSOR_CONST) != 0 ? tigris_dims(call->plan, t) : operand->dims;
}

/* First element of the matrix of `operand` that batch `index` of the output uses; leading axes
 * broadcast. */
static inline uint32_t tigris_matmul_start(const tigris_call* call, const tigris_view* operand,
                                           uint32_t index) {
  const tigris_view* out = &call->out[0];
  const int32_t* layout = tigris_matmul_layout(call, operand);
  const uint32_t rank = operand->tensor->rank;
  uint32_t step = (uint32_t)layout[rank - 1] * (uint32_t)layout[rank - 2];
  uint32_t start = 0;
  uint32_t i;
  for (i = 3; i <= rank; ++i) {
    const uint32_t size = (uint32_t)out->dims[out->tensor->rank - i];
    if (operand->dims[rank - i] != 1)
      start += index % size * step;
    step *= (uint32_t)layout[rank - i];
    index /= size;
  }
  return start;
}

#endif /* TIGRIS_MATMUL_H */
