/* The window of a convolution or pool for one output pixel, clipped to the input. */
#ifndef TIGRIS_WINDOW_H
#define TIGRIS_WINDOW_H

#include "view.h"

/* Taps [begin, end) of one axis inside the input; tap k reads coordinate start + k * dilation. */
typedef struct tigris_window {
  int32_t start;
  int32_t begin;
  int32_t end;
} tigris_window;

static inline tigris_window tigris_window_at(int32_t out, int32_t stride, int32_t pad,
                                             int32_t dilation, int32_t kernel, int32_t size) {
  tigris_window w;
  w.start = out * stride - pad;
  tigris_taps(w.start, dilation, size, kernel, &w.begin, &w.end);
  return w;
}

#endif /* TIGRIS_WINDOW_H */
