/* Sigmoid and tanh of int16 as TensorFlow Lite computes them, bit for bit: linear interpolation
 * between 256 values of sigmoid.
 *
 * Source: tensorflow/lite/kernels/internal/reference/integer_ops, logistic.h and tanh.h. */
#ifndef TIGRIS_SIGMOID_S16_H
#define TIGRIS_SIGMOID_S16_H

#include <stdint.h>

/* About 65536 * sigmoid(i / 24), TensorFlow Lite's numbers. */
extern const uint16_t tigris_sigmoid_table[256];

/* x * multiplier / 2^shift, rounded, ties upward: an argument for the functions below, which has 24
 * * 512 steps per unit. */
static inline int32_t tigris_sigmoid_argument(int32_t x, int32_t multiplier, uint32_t shift) {
  return (x * multiplier + (int32_t)((UINT32_C(1) << shift) >> 1)) >> shift;
}

/* Q0.15 */
int16_t tigris_sigmoid_s16(int32_t argument);
int16_t tigris_tanh_s16(int32_t argument);

#endif /* TIGRIS_SIGMOID_S16_H */
