/* Vector types and register sizes of the selected instruction set. */
#ifndef TIGRIS_HOST_VECTORS_H
#define TIGRIS_HOST_VECTORS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/window.h"
#include "levels.h"

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

#if defined(__AVX512F__)
#define HOST_FLOATS 16
#elif defined(__AVX2__)
#define HOST_FLOATS 8
#else
#define HOST_FLOATS 4
#endif

/* Vectors of unaligned floats, and of the masks that comparisons return. */
#define TIGRIS_HOST_VECTOR(lanes)                                                                  \
  typedef float Vec_##lanes __attribute__((vector_size(lanes * 4), aligned(4), may_alias));        \
  typedef int32_t Mask_##lanes __attribute__((vector_size(lanes * 4)));
TIGRIS_HOST_VECTOR(1)
TIGRIS_HOST_VECTOR(4)
TIGRIS_HOST_VECTOR(8)
TIGRIS_HOST_VECTOR(16)

/* Lane by lane: mask ? a : b. */
#define SELECT(Mask, mask, a, b) ((__typeof__(b))(((mask) & (Mask)(a)) | (~(mask) & (Mask)(b))))

/* All rows of a view are contiguous. */
static inline int tigris_host_isDense(const tigris_view* view) {
  return tigris_row(view, view->first + view->rows - 1) - view->data ==
         (ptrdiff_t)(view->rows - 1) * (ptrdiff_t)view->pitch;
}

/* Every output pixel reads only the input pixel at its own position, and all are contiguous, so
 * that the rows form one long row. The input view must begin with the same row. */
static inline int tigris_host_isPointwise(const tigris_call* call, const tigris_conv_params* p) {
  const tigris_view* in = &call->in[0];
  const tigris_view* out = &call->out[0];
  return p->kernel_h == 1 && p->kernel_w == 1 && p->stride_h == 1 && p->stride_w == 1 &&
         p->pad_top == 0 && p->pad_left == 0 && p->pad_bottom == 0 && p->pad_right == 0 &&
         in->first == out->first && in->rows >= out->rows && tigris_host_isDense(in) &&
         tigris_host_isDense(out);
}

/* Number of pixels of an output row from x on, at least one, whose windows have the same taps
 * inside the input. */
static inline int32_t tigris_host_alike(int32_t x, int32_t width, const tigris_window* window,
                                        const tigris_conv_params* p, int32_t size) {
  int32_t n = 1;
  for (; x + n < width; ++n) {
    const tigris_window next =
        tigris_window_at(x + n, p->stride_w, p->pad_left, p->dilation_w, p->kernel_w, size);
    if (next.begin != window->begin || next.end != window->end)
      break;
  }
  return n;
}

#endif /* TIGRIS_HOST_VECTORS_H */
