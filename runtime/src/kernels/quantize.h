/* Quantization of one float. */
#ifndef TIGRIS_QUANTIZE_H
#define TIGRIS_QUANTIZE_H

#include <math.h>

#include "tigris_format.h"

/* The integer for x in [lo, hi], the bounds of the type. Divides by the scale, as ONNX specifies,
 * instead of multiplying by its inverse. NaN becomes the lowest value. */
static inline int32_t tigris_quantize_one(float x, const tigris_quant* q, int32_t lo, int32_t hi) {
  const float least = (float)(lo - q->zero_point);
  const float most = (float)(hi - q->zero_point);
  const float v = rintf(x / q->scale);
  const float bounded = v > least ? (v < most ? v : most) : least;
  return (int32_t)bounded + q->zero_point;
}

#endif /* TIGRIS_QUANTIZE_H */
