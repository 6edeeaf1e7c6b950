/* The reference kernels, by opcode and dtype. Each computes the rows that its output view
 * specifies. */
#ifndef TIGRIS_KERNELS_H
#define TIGRIS_KERNELS_H

#include "tigris_backend.h"

/* The kernels that tigris_opcodes.def names; for those that add rows see find_sink in
 * tigris_backend.h. A kernel of several opcodes distinguishes them by call->op->opcode. s16: the
 * weights of convolutions and dense layers are s8. */
#define TIGRIS_KERNEL(group, name, dtype, kernel) tigris_status kernel(const tigris_call* call);
#define TIGRIS_SINK(group, name, dtype, kernel) tigris_status kernel(const tigris_call* call);
#include "tigris_opcodes.def"

/* y[i] = function(x[i]); y may be x. */
void tigris_apply_function(const tigris_unary_params* p, float* y, const float* x, uint32_t n);

#endif /* TIGRIS_KERNELS_H */
