/* The contract between the executor and the kernels: views, calls and the backend table.
 *
 * ## Strips
 * A kernel computes the rows of the output its view asks for, and nothing else. A row is one index of
 * the H axis of [N,H,W,C] (of L in [N,L,C], of N in [N,C]); rows are numbered through the batch: row n*H + y.
 * Tensors of any other rank have one row, the whole tensor. Coordinates are absolute: a convolution
 * tap is padding if and only if it falls outside the whole tensor, never because the view ends.
 * So any split of the rows gives the same bytes, provided the input views hold the rows needed.
 * Kernels reach rows through tigris_row (src/view.h) only.
 *
 * ## Boxes
 * In a tiled stage each call is a small dense problem of its own: every view has the dimensions of a box of
 * its tensor and the box's elements packed, and the parameters are adjusted to it (pads are what
 * the box lacks of the whole tensor's; those of CONV_TRANSPOSE and PAD may be negative; channel ranges
 * have their own `groups` and start of requantization pairs and zero points). A kernel that takes
 * dimensions from views and parameters from the call computes boxes and whole tensors alike.
 * Weights, bias and other constants per output channel stay where they are in the plan: `data` is at
 * the first output channel of the box, and the distances are those of the whole tensor. So do the
 * operands of MATMUL that are constants. A dimension of a CONCAT input may be 0.
 * `requant_count` is the number of pairs in the plan: shift i is at requant + requant_count + i.
 * Where op->flags are not 0 the arithmetic is another (tigris_ops.h): backends leave such ops to the reference kernels.
 *
 * ## Kernels
 * Return TIGRIS_OK or an error; must be re-entrant, must not allocate, and may assume everything
 * tigris_plan_open has checked. Only the opcodes that take indices meet
 * data-dependent errors. */
#ifndef TIGRIS_BACKEND_H
#define TIGRIS_BACKEND_H

#include "tigris.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows [first, first + rows) of a tensor, or of a box of one. Row r lies at data + (r - first) * pitch. */
typedef struct tigris_view {
  uint8_t* data; /* NULL: the optional operand is absent; inputs are not to be written */
  const tigris_tensor*
      tensor;          /* its dtype, rank and quantization hold; its dims and bytes need not */
  const int32_t* dims; /* of the problem at hand, tensor->rank of them */
  uint32_t first;
  uint32_t rows;
  uint32_t pitch; /* bytes from row to row; at present always the bytes of a row */
} tigris_view;

/* One kernel call. */
typedef struct tigris_call {
  const tigris_plan* plan;
  const tigris_op* op;
  const void* params;     /* the opcode's parameter struct, NULL when it has none */
  const tigris_view* in;  /* op->inputs views */
  const tigris_view* out; /* op->outputs views */
  void* scratch;          /* scratch_bytes(op) bytes at the backend's alignment, or NULL */
  uint32_t scratch_bytes;
} tigris_call;

typedef tigris_status (*tigris_kernel)(const tigris_call* call);

/* Raised whenever a struct of this header or the meaning of a field changes. */
#define TIGRIS_BACKEND_ABI 1u

/* A constant table, trusted. */
typedef struct tigris_backend {
  const char* name;
  uint32_t abi_version; /* TIGRIS_BACKEND_ABI */
  uint32_t
      alignment; /* power of two: of tensors, constants and scratch; at most TIGRIS_PLAN_ALIGN for constants */
  /* The kernel for an op, or NULL. Called at init and before each call: must be quick and pure. */
  tigris_kernel (*find)(const tigris_plan* plan, const tigris_op* op);
  /* Scratch an op needs, in bytes; NULL: none needs any. */
  uint32_t (*scratch_bytes)(const tigris_plan* plan, const tigris_op* op);
  /* The kernel for an op whose output is a SINK buffer, or NULL. NULL: there are none. It adds the rows that the
   * input view holds, `first` being the place of the first one in its image, to float or int32 sums at the output's
   * data, which has room for them. They come in ascending order; with an image's last row it writes what the op's
   * other kernel would. */
  tigris_kernel (*find_sink)(const tigris_plan* plan, const tigris_op* op);
} tigris_backend;

/* Portable kernels for every opcode: any C99 compiler, no scratch, alignment 4. Other backends call its
 * `find` for what they lack. */
extern const tigris_backend tigris_backend_reference;

/* Its `find_sink`, for other backends. */
tigris_kernel tigris_reference_sink(const tigris_plan* plan, const tigris_op* op);

#ifdef __cplusplus
}
#endif

#endif /* TIGRIS_BACKEND_H */
