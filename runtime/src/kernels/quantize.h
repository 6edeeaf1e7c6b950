/* One float as an integer of a quantization. */
#ifndef TIGRIS_QUANTIZE_H
#define TIGRIS_QUANTIZE_H

#include <math.h>

#include "tigris_format.h"

/* In [lo, hi], the bounds of the type. Divided, not multiplied by the inverse: ONNX asks for it. NaN becomes the
 * lowest value. */
static inline int32_t tigris_quantize_one(float x, const tigris_quant* q, int32_t lo, int32_t hi) {
  const float least = (float)(lo - q->zero_point);
  const float most = (float)(hi - q->zero_point);
  const float v = rintf(x / q->scale);
  const float bounded = v > least ? (v < most ? v : most) : least;
  return (int32_t)bounded + q->zero_point;
}

#endif /* TIGRIS_QUANTIZE_H */
