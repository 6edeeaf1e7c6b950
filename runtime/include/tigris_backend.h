/* The contract between the executor and the kernels: views, calls and the backend table.
 *
 * ## Rows
 * A kernel computes exactly the rows that the view of its output specifies. A row is one index of
 * the H axis of [N,H,W,C] (of L in [N,L,C], of N in [N,C]). Rows are numbered through the batch:
 * row n*H + y. Tensors of any other rank have one row, the whole tensor.
 *
 * Coordinates are absolute: a convolution tap is padding if and only if it falls outside the whole
 * tensor, never because the view ends. Any split of the rows therefore gives the same bytes,
 * provided that the input views contain the rows needed. Kernels access rows through tigris_row
 * (src/view.h) only.
 *
 * ## Boxes
 * In a tiled stage, each call is a separate small dense problem. A box is one index range per axis.
 * Every view has the dimensions of a box of its tensor and contains the box's elements, packed. The
 * parameters are adjusted to the box:
 *  - Pads are the part of the whole tensor's padding that the box needs; those of CONV_TRANSPOSE
 *    and PAD may be negative.
 *  - A range of channels has its own `groups` and its first `channel`, with whose requantization
 *    pair and zero point it begins.
 *
 * A kernel that takes dimensions from views and parameters from the call computes boxes and whole
 * tensors alike. Weights, biases and other constants per output channel are not copied from the
 * plan: `data` points to the first output channel of the box, and strides are those of the whole
 * tensor. The same applies to constant operands of MATMUL. A dimension of a CONCAT input may be 0.
 *
 * With TIGRIS_ROUND_EVEN in op->flags the op uses different arithmetic (tigris_ops.h). Backends
 * leave such ops to the reference kernels. The other flags tell where requantization is
 * (tigris_requant_of, src/view.h).
 *
 * ## Kernels
 * Kernels return TIGRIS_OK or an error. They must be re-entrant, must not allocate, and may assume
 * everything that tigris_plan_open has checked. Only opcodes that take indices can fail depending
 * on data. */
#ifndef TIGRIS_BACKEND_H
#define TIGRIS_BACKEND_H

#include "tigris.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows [first, first + rows) of a tensor or of a box. Row r is at data + (r - first) * pitch. */
typedef struct tigris_view {
  /* NULL: the optional operand is absent. Inputs must not be written. */
  uint8_t* data;
  const tigris_tensor* tensor; /* the whole tensor, of which this call may use a part */
  const int32_t* dims;         /* dimensions of this call's problem, tensor->rank of them */
  /* LSTM, GRU, RNN: 0, or in a tile: of input 0 the number of steps before it, if y has only rows
   * for the last steps; of y the row with the state, plus 1, unless a sequence starts here. */
  uint32_t first;
  uint32_t rows;
  uint32_t pitch; /* bytes from row to row; at present always the bytes of one row */
} tigris_view;

/* One kernel call. */
typedef struct tigris_call {
  const tigris_plan* plan;
  const tigris_op* op;
  const void* params;     /* the opcode's parameter struct, NULL when it has none */
  const tigris_view* in;  /* op->inputs views */
  const tigris_view* out; /* op->outputs views */
  void* scratch;          /* scratch_bytes bytes at the alignment of the plan, or NULL */
  uint32_t scratch_bytes; /* at least scratch_bytes(op) unless `is_short` */
  /* 1: there is less scratch than some op of the plan needs. A kernel that needs more for this call
   * than there is returns TIGRIS_E_SCRATCH without writing anything. */
  uint8_t is_short;
  uint8_t is_fallback; /* 1: this call is that of the fallback, after TIGRIS_E_SCRATCH */
} tigris_call;

typedef tigris_status (*tigris_kernel)(const tigris_call* call);

/* Incremented whenever a struct of this header or the meaning of a field changes. */
#define TIGRIS_BACKEND_ABI 3u

/* The table of a backend. Constant and trusted. */
typedef struct tigris_backend {
  const char* name;
  uint32_t abi_version; /* TIGRIS_BACKEND_ABI */
  /* power of two: of tensors, constants and scratch; at most TIGRIS_PLAN_ALIGN for constants */
  uint32_t alignment;
  /* The kernel for an op, or NULL. Called at init and before each call: must be fast and without
   * side effects. */
  tigris_kernel (*find)(const tigris_plan* plan, const tigris_op* op);
  /* Scratch with which the op's kernel computes whole tensors, in bytes. A NULL pointer means that
   * no op needs any. */
  uint32_t (*scratch_bytes)(const tigris_plan* plan, const tigris_op* op);
  /* The kernel for an op whose output is a SINK buffer, or NULL; a NULL pointer means that there
   * are none. The kernel adds the rows in the input view to sums at the output's data, which has
   * space for them (TIGRIS_TILE_SINK); `first` is the position of the view's first row in its
   * image. Rows come in ascending order. With the last row of an image the kernel writes the
   * result that the op's ordinary kernel would write. */
  tigris_kernel (*find_sink)(const tigris_plan* plan, const tigris_op* op);
  /* The backend whose kernels compute the calls for which there is too little scratch. It needs no
   * scratch and gives the same bytes. NULL: tigris_init requires all scratch. */
  const struct tigris_backend* fallback;
} tigris_backend;

/* Portable kernels for every opcode: any C99 compiler, no scratch, alignment 4. Other backends call
 * its `find` for the ops they do not implement. */
extern const tigris_backend tigris_backend_reference;

/* The `find_sink` of the reference backend, for use by other backends. */
tigris_kernel tigris_reference_sink(const tigris_plan* plan, const tigris_op* op);

#ifdef __cplusplus
}
#endif

#endif /* TIGRIS_BACKEND_H */
