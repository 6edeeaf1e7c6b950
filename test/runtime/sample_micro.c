/* Sample: integer operators that only TensorFlow Lite has. */
#include <string.h>

#include "sample_parts.h"

uint8_t* sampleMicro(Builder* b, uint32_t* size) {
  const int32_t dims[2] = {2, 6};
  const int32_t one[1] = {6};
  const tigris_requantize_params wide = {1 << 30, 8, -32768, 32767};
  const tigris_requantize_params narrow = {1 << 30, -6, -128, 127};
  const tigris_requantize_params whole = {1 << 30, 3, INT32_MIN, INT32_MAX};
  const tigris_sigmoid_params tanh = {TIGRIS_FN_TANH, 25165, 11};
  const tigris_softmax_params softmax = {1, 1 << 30, 2, 0};
  tigris_binary_params p;
  int8_t slope[6];
  int in[2];
  int x;
  int y;
  uint32_t byte;
  uint32_t half;
  int32_t i;
  for (i = 0; i < 6; ++i)
    slope[i] = (int8_t)(i * 40 - 100);
  memset(&p, 0, sizeof p);
  p.lo.i = -128;
  p.hi.i = 127;
  p.left_shift = 7;
  p.a_multiplier = p.b_multiplier = p.out_multiplier = 1 << 30;
  p.out_shift = -16;
  beginPlan(b, TIGRIS_IO_ARENA);
  byte = builderQuant(b, 0.0625f, 3);
  half = builderQuant(b, 1.0f / 32768, 0);
  x = builderTensor(b, TIGRIS_S8, 2, dims, byte);
  builderInput(b, x);
  y = builderTensor(b, TIGRIS_S16, 2, dims, half);
  builderOp(b, TIGRIS_OP_RESCALE, 1, &x, y, &wide, sizeof wide);
  in[0] = y;
  y = builderTensor(b, TIGRIS_S16, 2, dims, half);
  builderOp(b, TIGRIS_OP_SIGMOID_INT, 1, in, y, &tanh, sizeof tanh);
  in[0] = y;
  y = builderTensor(b, TIGRIS_S16, 2, dims, half);
  builderOp(b, TIGRIS_OP_SOFTMAX, 1, in, y, &softmax, sizeof softmax);
  in[0] = y;
  y = builderTensor(b, TIGRIS_S8, 2, dims, byte);
  builderOp(b, TIGRIS_OP_RESCALE, 1, in, y, &narrow, sizeof narrow);
  in[0] = y;
  in[1] = builderConst(b, TIGRIS_S8, 1, one, byte, slope);
  y = builderTensor(b, TIGRIS_S8, 2, dims, byte);
  builderOp(b, TIGRIS_OP_PRELU_INT, 2, in, y, &p, sizeof p);
  in[0] = y;
  in[1] = x;
  y = builderTensor(b, TIGRIS_S8, 2, dims, byte);
  builderOp(b, TIGRIS_OP_SQUARED_DIFFERENCE, 2, in, y, &p, sizeof p);
  in[0] = y;
  y = builderTensor(b, TIGRIS_S32, 2, dims, TIGRIS_NONE);
  builderOp(b, TIGRIS_OP_RESCALE, 1, in, y, &whole, sizeof whole);
  builderOutput(b, y);
  return builderFinish(b, size);
}
