/* Sample: integer operators that only TensorFlow Lite has. */
#include <string.h>

#include "sample_parts.h"

/* Adds a tensor of [2, 6] that the op computes from `in`. */
static int next(Builder* b, uint16_t opcode, int inputs, const int* in, uint8_t dtype,
                uint32_t quant, const void* params, uint32_t bytes) {
  const int32_t dims[2] = {2, 6};
  const int y = builderTensor(b, dtype, 2, dims, quant);
  builderOp(b, opcode, inputs, in, y, params, bytes);
  return y;
}

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
  in[0] = next(b, TIGRIS_OP_RESCALE, 1, &x, TIGRIS_S16, half, &wide, sizeof wide);
  in[0] = next(b, TIGRIS_OP_SIGMOID_INT, 1, in, TIGRIS_S16, half, &tanh, sizeof tanh);
  in[0] = next(b, TIGRIS_OP_SOFTMAX, 1, in, TIGRIS_S16, half, &softmax, sizeof softmax);
  in[0] = next(b, TIGRIS_OP_RESCALE, 1, in, TIGRIS_S8, byte, &narrow, sizeof narrow);
  in[1] = builderConst(b, TIGRIS_S8, 1, one, byte, slope);
  in[0] = next(b, TIGRIS_OP_PRELU_INT, 2, in, TIGRIS_S8, byte, &p, sizeof p);
  in[1] = x;
  in[0] = next(b, TIGRIS_OP_SQUARED_DIFFERENCE, 2, in, TIGRIS_S8, byte, &p, sizeof p);
  builderOutput(b,
                next(b, TIGRIS_OP_RESCALE, 1, in, TIGRIS_S32, TIGRIS_NONE, &whole, sizeof whole));
  return builderFinish(b, size);
}
