/* Random windows of convolutions and pools over random activations. */
#ifndef TIGRIS_TEST_WINDOW_CASE_H
#define TIGRIS_TEST_WINDOW_CASE_H

#include <math.h>

#include "one_op.h"

typedef struct Case {
  int rank; /* 2, 3 or 4 */
  int32_t n, h, w, c, oh, ow, oc;
  tigris_conv_params p;
  uint8_t dtype;
  int depthwise;
  int transposed;
  int hasBias;
} Case;

static inline void dimsOf(int rank, int32_t n, int32_t h, int32_t w, int32_t c, int32_t* dims) {
  dims[0] = n;
  dims[rank - 1] = c;
  if (rank >= 3)
    dims[1] = h;
  if (rank == 4)
    dims[2] = w;
}

static inline int32_t outSize(const Case* k, int32_t in, int32_t kernel, int32_t stride,
                              int32_t dilation, int32_t pads, int32_t extra) {
  if (k->transposed)
    return stride * (in - 1) + dilation * (kernel - 1) + 1 - pads + extra;
  return (in + pads - dilation * (kernel - 1) - 1) / stride + 1;
}

/* A random case; 0 if its output would be empty. */
static inline int randomCase(Case* k, uint8_t dtype, int depthwise, int transposed) {
  tigris_conv_params* p = &k->p;
  memset(k, 0, sizeof *k);
  k->dtype = dtype;
  k->depthwise = depthwise;
  k->transposed = transposed;
  k->rank = randomInt(0, 5) == 0 ? 3 : (randomInt(0, 20) == 0 ? 2 : 4);
  k->n = randomInt(0, 5) == 0 ? 2 : 1;
  k->h = k->rank == 2 ? 1 : randomInt(1, 9);
  k->w = k->rank == 4 ? randomInt(1, 9) : 1;
  p->kernel_h = k->rank == 2 ? 1 : randomInt(1, 4);
  p->kernel_w = k->rank == 4 ? randomInt(1, 4) : 1;
  p->stride_h = randomInt(1, 3);
  p->stride_w = k->rank == 4 ? randomInt(1, 3) : 1;
  p->dilation_h = randomInt(1, 2);
  p->dilation_w = randomInt(1, 2);
  if (k->rank > 2) {
    p->pad_top = randomInt(0, 3);
    p->pad_bottom = randomInt(0, 3);
  }
  if (k->rank == 4) {
    p->pad_left = randomInt(0, 3);
    p->pad_right = randomInt(0, 3);
  }
  if (k->rank == 2)
    p->stride_h = 1;
  p->groups = depthwise ? randomInt(1, 40) : randomInt(1, 3);
  k->c = depthwise ? p->groups : p->groups * randomInt(1, 9);
  k->oc = depthwise ? p->groups * randomInt(1, 2) : p->groups * randomInt(1, 30);
  k->oh = outSize(k, k->h, p->kernel_h, p->stride_h, p->dilation_h, p->pad_top + p->pad_bottom,
                  k->rank == 2 ? 0 : randomInt(0, 1));
  k->ow = outSize(k, k->w, p->kernel_w, p->stride_w, p->dilation_w, p->pad_left + p->pad_right,
                  k->rank == 4 ? randomInt(0, 1) : 0);
  if (!transposed && (k->h + p->pad_top + p->pad_bottom < p->dilation_h * (p->kernel_h - 1) + 1 ||
                      k->w + p->pad_left + p->pad_right < p->dilation_w * (p->kernel_w - 1) + 1))
    return 0;
  k->hasBias = randomInt(0, 3) != 0;
  return k->oh >= 1 && k->ow >= 1;
}

/* Input coordinate of a tap, or -1. */
static inline int32_t sourceOf(const Case* k, int32_t out, int32_t tap, int32_t stride,
                               int32_t dilation, int32_t pad, int32_t size) {
  int32_t i;
  if (!k->transposed) {
    i = out * stride - pad + tap * dilation;
    return i >= 0 && i < size ? i : -1;
  }
  for (i = 0; i < size; ++i) {
    if (i * stride + tap * dilation - pad == out)
      return i;
  }
  return -1;
}

static Case current;

/* Rows of a convolution or pool window; works for batch 1. */
static inline void rowsWindow(const OneOp* o, int32_t inRows, int32_t outRow, int32_t* first,
                              int32_t* last) {
  const tigris_conv_params* p = &current.p;
  const int32_t start = outRow * p->stride_h - p->pad_top;
  const int32_t stop = start + (p->kernel_h - 1) * p->dilation_h;
  (void)o;
  *first = start < 0 ? 0 : start;
  *last = stop >= inRows ? inRows - 1 : stop;
}

#endif /* TIGRIS_TEST_WINDOW_CASE_H */
