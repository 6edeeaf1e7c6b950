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
 * ## Kernels
 * Return TIGRIS_OK or an error; must be re-entrant, must not allocate, and may assume everything
 * tigris_plan_open has checked. Only GATHER meets data-dependent errors. */
#ifndef TIGRIS_BACKEND_H
#define TIGRIS_BACKEND_H

#include "tigris.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows [first, first + rows) of a tensor. Row r lies at data + (r - first) * pitch. */
typedef struct tigris_view {
  uint8_t* data; /* NULL: the optional operand is absent; inputs are not to be written */
  const tigris_tensor* tensor;
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
} tigris_backend;

/* Portable kernels for every opcode: any C99 compiler, no scratch, alignment 4. Other backends call its
 * `find` for what they lack. */
extern const tigris_backend tigris_backend_reference;

#ifdef __cplusplus
}
#endif

#endif /* TIGRIS_BACKEND_H */
