/* Binary ops against naive references. */
#include <math.h>

#include "elements.h"
#include "one_op.h"

/* A shape that broadcasts to `dims`: fewer axes and random ones set to 1. */
static int randomBroadcast(int rank, const int32_t* dims, int32_t* out) {
  const int drop = randomInt(0, 2) == 0 ? randomInt(0, rank - 1) : 0;
  int i;
  for (i = drop; i < rank; ++i)
    out[i - drop] = randomInt(0, 2) == 0 ? 1 : dims[i];
  return rank - drop;
}

static size_t broadcastAt(int rank, const int32_t* dims, int inRank, const int32_t* inDims,
                          int32_t flat) {
  size_t at = 0;
  size_t step = 1;
  int i;
  for (i = 0; i < inRank; ++i) {
    const int32_t d = dims[rank - 1 - i];
    const int32_t index = flat % d;
    flat /= d;
    if (inDims[inRank - 1 - i] != 1)
      at += (size_t)index * step;
    step *= (size_t)inDims[inRank - 1 - i];
  }
  return at;
}

static double binaryOracle(uint16_t opcode, double a, double b) {
  switch (opcode) {
  case TIGRIS_OP_ADD:
    return a + b;
  case TIGRIS_OP_SUB:
    return a - b;
  case TIGRIS_OP_MUL:
    return a * b;
  case TIGRIS_OP_DIV:
    return a / b;
  case TIGRIS_OP_MAXIMUM:
    return a > b ? a : b;
  case TIGRIS_OP_MINIMUM:
    return a < b ? a : b;
  case TIGRIS_OP_POW:
    return pow(a, b);
  default:
    return a < 0 ? a * b : a;
  }
}

static int32_t binaryOracleS8(uint16_t opcode, const tigris_binary_params* p, int32_t a,
                              int32_t b) {
  int32_t x;
  int32_t y;
  switch (opcode) {
  case TIGRIS_OP_MUL:
    return oracleRequantize(a * b, p->out_multiplier, p->out_shift);
  case TIGRIS_OP_MAXIMUM:
    return a > b ? a : b;
  case TIGRIS_OP_MINIMUM:
    return a < b ? a : b;
  default:
    x = oracleRequantize(a * (1 << p->left_shift), p->a_multiplier, p->a_shift);
    y = oracleRequantize(b * (1 << p->left_shift), p->b_multiplier, p->b_shift);
    return oracleRequantize(opcode == TIGRIS_OP_ADD ? x + y : x - y, p->out_multiplier,
                            p->out_shift);
  }
}

static void testBinary(uint16_t opcode, uint8_t dtype) {
  const int isFloat = dtype == TIGRIS_F32;
  const int extreme = opcode == TIGRIS_OP_MAXIMUM || opcode == TIGRIS_OP_MINIMUM;
  int32_t dims[5];
  int32_t inDims[2][5];
  int inRank[2];
  const int rank = randomShape(dims, 6);
  int32_t zero[3];
  tigris_binary_params p;
  Builder b;
  OneOp run;
  int in[2];
  int out;
  int32_t i;
  int k;
  memset(&p, 0, sizeof p);
  builderInit(&b, TIGRIS_IO_ARENA);
  for (k = 0; k < 3; ++k)
    zero[k] = extreme ? 5 : randomInt(-128, 127);
  for (k = 0; k < 2; ++k) {
    inRank[k] = randomBroadcast(rank, dims, inDims[k]);
    if (opcode == TIGRIS_OP_PRELU && k == 0) {
      inRank[0] = rank;
      memcpy(inDims[0], dims, sizeof dims);
    }
    in[k] = builderTensor(&b, dtype, (uint8_t)inRank[k], inDims[k],
                          isFloat ? TIGRIS_NONE : builderQuant(&b, 1, zero[k]));
  }
  out = builderTensor(&b, dtype, (uint8_t)rank, dims,
                      isFloat ? TIGRIS_NONE : builderQuant(&b, 1, zero[2]));
  if (isFloat) {
    p.lo.f = -INFINITY;
    p.hi.f = opcode == TIGRIS_OP_PRELU ? INFINITY : 3.0f;
  } else {
    p.lo.i = -120;
    p.hi.i = 120;
    p.left_shift = opcode == TIGRIS_OP_ADD || opcode == TIGRIS_OP_SUB ? 20 : 0;
    p.a_multiplier = randomInt(1 << 30, INT32_MAX - 1);
    p.a_shift = -randomInt(0, 3);
    p.b_multiplier = randomInt(1 << 30, INT32_MAX - 1);
    p.b_shift = -randomInt(1, 3);
    p.out_multiplier = randomInt(1 << 30, INT32_MAX - 1);
    p.out_shift = opcode == TIGRIS_OP_MUL ? -randomInt(5, 8) : -randomInt(17, 20);
  }
  builderInput(&b, in[0]);
  builderInput(&b, in[1]);
  builderOutput(&b, out);
  builderOp(&b, opcode, 2, in, out, &p, opcode == TIGRIS_OP_PRELU ? 0 : sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  for (k = 0; k < 2; ++k) {
    const int32_t n = elementsOf(inRank[k], inDims[k]);
    float* f = (float*)tigris_input(&run.ctx, (unsigned)k);
    if (!isFloat)
      randomBytes((int8_t*)f, (size_t)n);
    for (i = 0; isFloat && i < n; ++i)
      f[i] = opcode == TIGRIS_OP_POW || opcode == TIGRIS_OP_DIV ? randomFloat(0.3f, 2.0f)
                                                                : randomFloat(-2.0f, 2.0f);
  }
  runWhole(&run);
  for (i = 0; i < elementsOf(rank, dims); ++i) {
    const size_t at0 = broadcastAt(rank, dims, inRank[0], inDims[0], i);
    const size_t at1 = broadcastAt(rank, dims, inRank[1], inDims[1], i);
    const void* a = tigris_input(&run.ctx, 0);
    const void* c = tigris_input(&run.ctx, 1);
    if (isFloat) {
      double v =
          binaryOracle(opcode, (double)((const float*)a)[at0], (double)((const float*)c)[at1]);
      v = v > (double)p.hi.f ? (double)p.hi.f : v;
      checkClose(((const float*)tigris_output(&run.ctx, 0))[i], v, fabs(v));
    } else {
      const int32_t v = binaryOracleS8(opcode, &p, ((const int8_t*)a)[at0] - zero[0],
                                       ((const int8_t*)c)[at1] - zero[1]);
      CHECK_EQ(((const int8_t*)tigris_output(&run.ctx, 0))[i],
               oracleClamp((int64_t)v + zero[2], -120, 120));
    }
  }
  if (rank <= 4 && dims[0] == 1 && inRank[0] == rank && inRank[1] == rank)
    checkStrips(&run, rowsSame);
  builderFree(&b);
}

/* Exhaustive over all pairs of operands; the quotient is within one step of the real one. */
static void testDivS8(void) {
  const int32_t ad[2] = {256, 1};
  const int32_t bd[2] = {1, 256};
  const int32_t yd[2] = {256, 256};
  tigris_binary_params p;
  Builder b;
  OneOp run;
  int in[2];
  int out;
  int32_t i;
  int32_t k;
  memset(&p, 0, sizeof p);
  p.lo.i = -128;
  p.hi.i = 127;
  p.out_multiplier = 1 << 30; /* 0.5 */
  p.out_shift = 4;            /* 0.5 * 2^4 = 8 = scale_a / (scale_b * scale_y) */
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_S8, 2, ad, builderQuant(&b, 0.5f, 3));
  in[1] = builderTensor(&b, TIGRIS_S8, 2, bd, builderQuant(&b, 0.5f, -7));
  out = builderTensor(&b, TIGRIS_S8, 2, yd, builderQuant(&b, 0.125f, 11));
  builderInput(&b, in[0]);
  builderInput(&b, in[1]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_DIV, 2, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  for (i = 0; i < 256; ++i) {
    ((int8_t*)tigris_input(&run.ctx, 0))[i] = (int8_t)(i - 128);
    ((int8_t*)tigris_input(&run.ctx, 1))[i] = (int8_t)(i - 128);
  }
  runWhole(&run);
  for (i = 0; i < 256; ++i) {
    for (k = 0; k < 256; ++k) {
      const double a = i - 128 - 3;
      const double d = k - 128 + 7;
      const int32_t y = ((const int8_t*)tigris_output(&run.ctx, 0))[i * 256 + k];
      double v = d != 0 ? 8 * a / d + 11 : (a == 0 ? 11 : (a > 0 ? 127 : -128));
      v = v < -128 ? -128 : (v > 127 ? 127 : v);
      CHECK(fabs(y - v) <= 0.75);
    }
  }
  builderFree(&b);
}

int main(void) {
  static const uint16_t floats[] = {TIGRIS_OP_ADD, TIGRIS_OP_SUB,     TIGRIS_OP_MUL,
                                    TIGRIS_OP_DIV, TIGRIS_OP_MAXIMUM, TIGRIS_OP_MINIMUM,
                                    TIGRIS_OP_POW, TIGRIS_OP_PRELU};
  static const uint16_t integers[] = {TIGRIS_OP_ADD, TIGRIS_OP_SUB, TIGRIS_OP_MUL,
                                      TIGRIS_OP_MAXIMUM, TIGRIS_OP_MINIMUM};
  uint32_t i;
  uint32_t k;
  for (k = 0; k < 60; ++k) {
    for (i = 0; i < sizeof floats / sizeof floats[0]; ++i)
      testBinary(floats[i], TIGRIS_F32);
    for (i = 0; i < sizeof integers / sizeof integers[0]; ++i)
      testBinary(integers[i], TIGRIS_S8);
  }
  testDivS8();
  checkTileCounts();
  checkInPlaceCounts();
  return finish();
}
