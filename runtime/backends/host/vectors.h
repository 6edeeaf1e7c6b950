/* Vector types and the size of registers of the instruction set at hand. */
#ifndef TIGRIS_HOST_VECTORS_H
#define TIGRIS_HOST_VECTORS_H

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

/* Vectors of floats at any float's address, and of the numbers that comparing them gives. */
#define TIGRIS_HOST_VECTOR(lanes)                                                                  \
  typedef float Vec_##lanes __attribute__((vector_size(lanes * 4), aligned(4), may_alias));        \
  typedef int32_t Mask_##lanes __attribute__((vector_size(lanes * 4)));
TIGRIS_HOST_VECTOR(1)
TIGRIS_HOST_VECTOR(4)
TIGRIS_HOST_VECTOR(8)
TIGRIS_HOST_VECTOR(16)

/* Lane by lane: mask ? a : b. */
#define SELECT(Mask, mask, a, b) ((__typeof__(b))(((mask) & (Mask)(a)) | (~(mask) & (Mask)(b))))

/* Pixels of an output row from x on, at least one, of whose windows the same taps meet the input. */
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
