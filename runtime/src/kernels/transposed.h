/* Tap arithmetic of transposed convolutions. */
#ifndef TIGRIS_TRANSPOSED_H
#define TIGRIS_TRANSPOSED_H

#include <stdint.h>

/* Solves out + pad = source * stride + tap * dilation for source; -1 if no input coordinate
 * fits. */
static inline int32_t tigris_transposed_source(int32_t paddedOut, int32_t tapOffset, int32_t stride,
                                               int32_t size) {
  const int32_t t = paddedOut - tapOffset;
  if (t < 0 || t % stride != 0 || t / stride >= size)
    return -1;
  return t / stride;
}

#endif /* TIGRIS_TRANSPOSED_H */
