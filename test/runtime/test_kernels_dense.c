/* Dense layers and matrix products against naive references, whole and in row ranges. */
#include <math.h>

#include "one_op.h"

static void testFullyConnected(uint8_t dtype) {
  const int isFloat = dtype == TIGRIS_F32;
  const int32_t m = randomInt(1, 3);
  const int32_t k = randomInt(1, 70);
  const int32_t n = randomInt(1, 40);
  const int32_t inZero = randomInt(-128, 127);
  const int32_t outZero = randomInt(-128, 127);
  int32_t xd[2];
  int32_t wd[2];
  int32_t yd[2];
  int32_t zeros[1];
  int32_t multipliers[64];
  int32_t shifts[64];
  tigris_fc_params p;
  void* x = exactly((size_t)(m * k) * 4);
  void* w = exactly((size_t)(k * n) * 4);
  Builder b;
  OneOp run;
  int in[2];
  int out;
  int32_t i;
  int32_t r;
  int32_t o;
  memset(&p, 0, sizeof p);
  xd[0] = m;
  xd[1] = k;
  wd[0] = isFloat ? k : n;
  wd[1] = isFloat ? n : k;
  yd[0] = m;
  yd[1] = n;
  zeros[0] = randomInt(-128, 127);
  builderInit(&b, TIGRIS_IO_ARENA);
  if (isFloat) {
    p.lo.f = -INFINITY;
    p.hi.f = INFINITY;
    randomFloats((float*)x, (size_t)(m * k));
    randomFloats((float*)w, (size_t)(k * n));
  } else {
    p.lo.i = -128;
    p.hi.i = 127;
    for (i = 0; i < n; ++i) {
      multipliers[i] = randomInt(1 << 30, INT32_MAX - 1);
      shifts[i] = -randomInt(5, 12);
    }
    builderDense(&b, multipliers, shifts, (uint32_t)n, zeros, 1);
    randomBytes((int8_t*)x, (size_t)(m * k));
    randomBytes((int8_t*)w, (size_t)(k * n));
  }
  in[0] = builderTensor(&b, dtype, 2, xd, isFloat ? TIGRIS_NONE : builderQuant(&b, 1, inZero));
  in[1] = builderConst(&b, dtype, 2, wd, TIGRIS_NONE, w);
  out = builderTensor(&b, dtype, 2, yd, isFloat ? TIGRIS_NONE : builderQuant(&b, 1, outZero));
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_FULLY_CONNECTED, 2, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  memcpy(tigris_input(&run.ctx, 0), x, builderBytesOf(&b, in[0]));
  runWhole(&run);
  for (r = 0; r < m; ++r) {
    for (o = 0; o < n; ++o) {
      double sum = 0;
      for (i = 0; i < k; ++i) {
        if (isFloat)
          sum += (double)((float*)x)[r * k + i] * ((float*)w)[i * n + o];
        else
          sum += (double)(((int8_t*)x)[r * k + i] - inZero) * (((int8_t*)w)[o * k + i] - zeros[0]);
      }
      if (isFloat)
        checkClose(((const float*)tigris_output(&run.ctx, 0))[r * n + o], sum, 10);
      else
        CHECK_EQ(((const int8_t*)tigris_output(&run.ctx, 0))[r * n + o],
                 oracleClamp((int64_t)oracleRequantize((int32_t)sum, multipliers[o], shifts[o]) +
                                 outZero,
                             -128, 127));
    }
  }
  checkStrips(&run, rowsSame);
  builderFree(&b);
}

static void testMatmul(int flip, int isFloat) {
  const int32_t m = randomInt(1, 5);
  const int32_t k = randomInt(1, 20);
  const int32_t n = randomInt(1, 40);
  const int32_t heads = randomInt(1, 3);
  const int32_t batch = randomInt(1, 2);
  const int32_t ad[4] = {batch, 1, m, k};
  const int32_t bd[3] = {heads, flip ? n : k, flip ? k : n};
  const int32_t yd[4] = {batch, heads, m, n};
  const int32_t aZero = isFloat ? 0 : randomInt(-128, 127);
  const int32_t bZero = isFloat ? 0 : randomInt(-128, 127);
  const int32_t yZero = isFloat ? 0 : randomInt(-20, 20);
  const tigris_dtype dtype = isFloat ? TIGRIS_F32 : TIGRIS_S8;
  tigris_matmul_params p;
  void* a;
  void* w;
  const void* y;
  Builder b;
  OneOp run;
  int in[2];
  int out;
  int32_t i;
  int32_t c;
  int32_t h;
  int32_t r;
  int32_t o;
  int32_t at = 0;
  p.flags = flip ? TIGRIS_MATMUL_TRANSPOSE_B : 0;
  p.multiplier = isFloat ? 0 : randomInt(1 << 30, INT32_MAX);
  p.shift = isFloat ? 0 : randomInt(-12, -4);
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, dtype, 4, ad, isFloat ? TIGRIS_NONE : builderQuant(&b, 0.5f, aZero));
  in[1] = builderTensor(&b, dtype, 3, bd, isFloat ? TIGRIS_NONE : builderQuant(&b, 0.5f, bZero));
  out = builderTensor(&b, dtype, 4, yd, isFloat ? TIGRIS_NONE : builderQuant(&b, 0.5f, yZero));
  builderInput(&b, in[0]);
  builderInput(&b, in[1]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_MATMUL, 2, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  a = tigris_input(&run.ctx, 0);
  w = tigris_input(&run.ctx, 1);
  if (isFloat) {
    randomFloats((float*)a, (size_t)(batch * m * k));
    randomFloats((float*)w, (size_t)(heads * k * n));
  } else {
    randomBytes(a, (size_t)(batch * m * k));
    randomBytes(w, (size_t)(heads * k * n));
  }
  runWhole(&run);
  y = tigris_output(&run.ctx, 0);
  for (c = 0; c < batch; ++c) {
    for (h = 0; h < heads; ++h) {
      for (r = 0; r < m; ++r) {
        for (o = 0; o < n; ++o, ++at) {
          double sum = 0;
          for (i = 0; i < k; ++i) {
            const int32_t ia = (c * m + r) * k + i;
            const int32_t ib = h * k * n + (flip ? o * k + i : i * n + o);
            if (isFloat)
              sum += (double)((float*)a)[ia] * ((float*)w)[ib];
            else
              sum += (double)(((int8_t*)a)[ia] - aZero) * (((int8_t*)w)[ib] - bZero);
          }
          if (isFloat)
            checkClose(((const float*)y)[at], sum, 10);
          else
            CHECK_EQ(
                ((const int8_t*)y)[at],
                oracleClamp((int64_t)oracleRequantize((int32_t)sum, p.multiplier, p.shift) + yZero,
                            -128, 127));
        }
      }
    }
  }
  builderFree(&b);
}

int main(void) {
  int i;
  for (i = 0; i < 60; ++i) {
    testFullyConnected(TIGRIS_F32);
    testFullyConnected(TIGRIS_S8);
  }
  for (i = 0; i < 40; ++i)
    testMatmul(i % 2, i / 2 % 2);
  checkTileCounts();
  return finish();
}
