/* The basis of the access rules (access.h): the family of an opcode, an op with one of its inputs,
 * its windows and groups. */
#ifndef TIGRIS_ACCESS_OP_H
#define TIGRIS_ACCESS_OP_H

#include "access.h"
#include "view.h"

typedef enum tigris_family {
  TIGRIS_FAMILY_ELEMENTS = 0, /* the same box, under broadcasting: every opcode not listed */
  TIGRIS_FAMILY_POOL,
  TIGRIS_FAMILY_GLOBAL_POOL,
  TIGRIS_FAMILY_REDUCTION,
  TIGRIS_FAMILY_SOFTMAX,
  TIGRIS_FAMILY_ARG,
  TIGRIS_FAMILY_LINES,
  TIGRIS_FAMILY_PRODUCT,
  TIGRIS_FAMILY_CONCAT,
  TIGRIS_FAMILY_SLICE,
  TIGRIS_FAMILY_PAD,
  TIGRIS_FAMILY_PERMUTATION,
  TIGRIS_FAMILY_RESIZE,
  TIGRIS_FAMILY_BY_ELEMENT,
  TIGRIS_FAMILY_GATHER_ND,
  TIGRIS_FAMILY_SCATTER_ND,
  TIGRIS_FAMILY_RECURRENT,
  TIGRIS_FAMILY_WHOLE,
  /* all inputs but the first are parameters */
  TIGRIS_FAMILY_CONV,
  TIGRIS_FAMILY_TRANSPOSED,
  TIGRIS_FAMILY_DENSE,
  TIGRIS_FAMILY_NORM,
  TIGRIS_FAMILY_GATHER,
  TIGRIS_FAMILY_TABLE, /* otherwise as ELEMENTS */
  TIGRIS_FAMILY_SCALE, /* likewise */
  TIGRIS_FIRST_WITH_PARAMETERS = TIGRIS_FAMILY_CONV
} tigris_family;

/* The family of each opcode. */
extern const uint8_t tigris_access_families[];

/* Whether the op is LSTM, GRU or RNN; constant 0 in a build without them. */
static inline int tigris_is_recurrent(const tigris_op* op) {
  return TIGRIS_OPS_RECURRENT && tigris_access_families[op->opcode] == TIGRIS_FAMILY_RECURRENT;
}

/* An op, a box of its output, and one of its inputs. */
typedef struct tigris_access {
  const tigris_plan* plan;
  const tigris_op* op;
  const void* params;
  const tigris_box* out;
  uint32_t input;
  const tigris_tensor* x;
  const tigris_tensor* y;
  const int32_t* dx;
  const int32_t* dy;
} tigris_access;

tigris_access tigris_access_of(const tigris_plan* plan, const tigris_op* op, uint32_t input,
                               const tigris_box* out);

/* The tensor of operand `i`. */
static inline const tigris_tensor* tigris_operand_tensor(const tigris_plan* plan,
                                                         const tigris_op* op, uint32_t i) {
  return &plan->tensors[plan->operands[op->operands + i].tensor];
}

static inline int32_t tigris_least(int32_t a, int32_t b) { return a < b ? a : b; }

static inline int32_t tigris_most(int32_t a, int32_t b) { return a > b ? a : b; }

/* Whether the output box contains the whole extent of the axes in [from, past). */
int tigris_covers_axes(const tigris_access* a, uint32_t from, uint32_t past);

/* The axes N, H, W and C of a tensor of rank 2, 3, 4; 4 for an axis that the tensor does not
 * have. */
extern const uint8_t tigris_axes_of[3][4];

/* ---- windows: tigris_conv_params and tigris_pool_params have the same leading fields */

typedef struct tigris_window {
  int32_t kernel;
  int32_t stride;
  int32_t dilation;
  int32_t before;
  int32_t after;
} tigris_window;

/* The window of axis H (0) or W (1). */
static inline tigris_window tigris_window_of(const void* params, uint32_t axis) {
  const int32_t* p = (const int32_t*)params + axis;
  tigris_window w;
  w.kernel = p[0];
  w.stride = p[2];
  w.dilation = p[4];
  w.before = p[6];
  w.after = p[8];
  return w;
}

/* Groups [first, past) of a convolution that an output box intersects, and their number of
 * channels. */
typedef struct tigris_groups {
  int32_t in;
  int32_t out;
  int32_t first;
  int32_t past;
} tigris_groups;

tigris_groups tigris_groups_of(const tigris_access* a);

/* Number of outputs of a dense layer, N. */
int32_t tigris_dense_outputs(const tigris_plan* plan, const tigris_op* op);

#endif /* TIGRIS_ACCESS_OP_H */
