/* Unary ops, tables, clamps and conversions against naive references. */
#include <math.h>

#include "one_op.h"

static double unaryOracle(uint32_t f, double x, double a, double b) {
  switch (f) {
  case TIGRIS_FN_ABS:
    return fabs(x);
  case TIGRIS_FN_NEG:
    return -x;
  case TIGRIS_FN_EXP:
    return exp(x);
  case TIGRIS_FN_LOG:
    return log(x);
  case TIGRIS_FN_SQRT:
    return sqrt(x);
  case TIGRIS_FN_RSQRT:
    return 1 / sqrt(x);
  case TIGRIS_FN_RECIPROCAL:
    return 1 / x;
  case TIGRIS_FN_SQUARE:
    return x * x;
  case TIGRIS_FN_ERF:
    return erf(x);
  case TIGRIS_FN_SIGMOID:
    return 1 / (1 + exp(-x));
  case TIGRIS_FN_TANH:
    return tanh(x);
  case TIGRIS_FN_HARD_SIGMOID:
    return fmax(0, fmin(1, a * x + b));
  case TIGRIS_FN_HARD_SWISH:
    return x * fmax(0, fmin(1, x / 6 + 0.5));
  case TIGRIS_FN_SILU:
    return x / (1 + exp(-x));
  case TIGRIS_FN_GELU_ERF:
    return x / 2 * (1 + erf(x / sqrt(2)));
  case TIGRIS_FN_GELU_TANH:
    return x / 2 * (1 + tanh(sqrt(2 / 3.14159265358979) * (x + 0.044715 * x * x * x)));
  case TIGRIS_FN_ELU:
    return x < 0 ? a * (exp(x) - 1) : x;
  case TIGRIS_FN_LEAKY_RELU:
    return x < 0 ? a * x : x;
  case TIGRIS_FN_SOFTPLUS:
    return log(1 + exp(x));
  case TIGRIS_FN_MISH:
    return x * tanh(log(1 + exp(x)));
  case TIGRIS_FN_FLOOR:
    return floor(x);
  case TIGRIS_FN_CEIL:
    return ceil(x);
  case TIGRIS_FN_ROUND:
    return nearbyint(x);
  case TIGRIS_FN_SIN:
    return sin(x);
  case TIGRIS_FN_COS:
    return cos(x);
  case TIGRIS_FN_SIGN:
    return x > 0 ? 1 : (x < 0 ? -1 : 0);
  case TIGRIS_FN_SELU:
    return b * (x < 0 ? a * (exp(x) - 1) : x);
  case TIGRIS_FN_SOFTSIGN:
    return x / (1 + fabs(x));
  case TIGRIS_FN_CELU:
    return fmax(0, x) + fmin(0, a * (exp(x / a) - 1));
  case TIGRIS_FN_THRESHOLDED_RELU:
    return x > a ? x : 0;
  case TIGRIS_FN_TAN:
    return tan(x);
  case TIGRIS_FN_ASIN:
    return asin(x);
  case TIGRIS_FN_ACOS:
    return acos(x);
  case TIGRIS_FN_ATAN:
    return atan(x);
  case TIGRIS_FN_SINH:
    return sinh(x);
  case TIGRIS_FN_COSH:
    return cosh(x);
  case TIGRIS_FN_ASINH:
    return asinh(x);
  case TIGRIS_FN_ACOSH:
    return acosh(x);
  case TIGRIS_FN_ATANH:
    return atanh(x);
  default:
    return x < -a ? x + b : (x > a ? x - b : 0);
  }
}

/* In place, with half-way values for ROUND. */
static void testUnary(uint32_t function, int inPlace) {
  const int32_t dims[2] = {4, 50};
  const int positive =
      function == TIGRIS_FN_LOG || function == TIGRIS_FN_SQRT || function == TIGRIS_FN_RSQRT;
  const int below1 =
      function == TIGRIS_FN_ASIN || function == TIGRIS_FN_ACOS || function == TIGRIS_FN_ATANH;
  tigris_unary_params p;
  float before[200];
  Builder b;
  OneOp run;
  int in[1];
  int out;
  int32_t i;
  p.function = function;
  p.alpha = 0.2f;
  p.beta = 0.6f;
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  out = builderTensor(&b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  if (inPlace)
    b.place[out] = b.place[in[0]];
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_UNARY, 1, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  for (i = 0; i < 200; ++i)
    before[i] = positive                      ? randomFloat(0.1f, 5.0f)
                : below1                      ? randomFloat(-0.95f, 0.95f)
                : function == TIGRIS_FN_ACOSH ? randomFloat(1.1f, 5.0f)
                                              : (float)randomInt(-40, 40) / 8.0f + 0.0001f;
  if (function == TIGRIS_FN_ROUND) {
    before[0] = 0.5f;
    before[1] = 1.5f;
    before[2] = -2.5f;
  }
  memcpy(tigris_input(&run.ctx, 0), before, sizeof before);
  runWhole(&run);
  for (i = 0; i < 200; ++i) {
    const double v = unaryOracle(function, (double)before[i], (double)p.alpha, (double)p.beta);
    checkClose(((const float*)tigris_output(&run.ctx, 0))[i], v, fabs(v));
  }
  builderFree(&b);
}

static void testLookupAndClamp(int inPlace) {
  const int32_t dims[2] = {1, 256};
  const int32_t tableDims[1] = {256};
  int8_t table[256];
  tigris_clamp_params p;
  Builder b;
  OneOp run;
  int in[2];
  int out;
  int middle;
  int32_t i;
  randomBytes(table, 256);
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_S8, 2, dims, TIGRIS_NONE);
  in[1] = builderConst(&b, TIGRIS_S8, 1, tableDims, TIGRIS_NONE, table);
  out = builderTensor(&b, TIGRIS_S8, 2, dims, TIGRIS_NONE);
  middle = inPlace ? out : builderTensor(&b, TIGRIS_S8, 2, dims, TIGRIS_NONE);
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_LOOKUP, 2, in, middle, NULL, 0);
  p.lo.i = -20;
  p.hi.i = 30;
  in[0] = middle;
  builderOp(&b, TIGRIS_OP_CLAMP, 1, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  for (i = 0; i < 256; ++i)
    ((int8_t*)tigris_input(&run.ctx, 0))[i] = (int8_t)(i - 128);
  runWhole(&run);
  for (i = 0; i < 256; ++i)
    CHECK_EQ(((const int8_t*)tigris_output(&run.ctx, 0))[i], oracleClamp(table[i], -20, 30));
  builderFree(&b);
}

static void testConversions(void) {
  static const float special[8] = {0.05f, 0.15f, 0.25f, -0.05f, -0.15f, 1e30f, -1e30f, NAN};
  const int32_t dims[2] = {1, 300};
  const int32_t multiplier = 1717986918; /* 0.8 */
  tigris_requantize_params p;
  Builder b;
  OneOp run;
  int in[1];
  int q;
  int r;
  int out;
  int32_t i;
  float* x;
  p.multiplier = multiplier;
  p.shift = 0;
  p.lo = -100;
  p.hi = 127;
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  q = builderTensor(&b, TIGRIS_S8, 2, dims, builderQuant(&b, 0.1f, 7));
  r = builderTensor(&b, TIGRIS_S8, 2, dims, builderQuant(&b, 0.125f, -3));
  out = builderTensor(&b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  builderInput(&b, in[0]);
  builderOutput(&b, q);
  builderOutput(&b, r);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_QUANTIZE, 1, in, q, NULL, 0);
  builderOp(&b, TIGRIS_OP_REQUANTIZE, 1, &q, r, &p, sizeof p);
  builderOp(&b, TIGRIS_OP_DEQUANTIZE, 1, &r, out, NULL, 0);
  if (!oneOpOpen(&run, &b))
    return;
  x = (float*)tigris_input(&run.ctx, 0);
  for (i = 0; i < 300; ++i)
    x[i] = randomFloat(-15, 15);
  memcpy(x, special, sizeof special);
  runWhole(&run);
  for (i = 0; i < 300; ++i) {
    const int32_t a = ((const int8_t*)tigris_output(&run.ctx, 0))[i];
    const int32_t c = ((const int8_t*)tigris_output(&run.ctx, 1))[i];
    const float steps = nearbyintf(x[i] / 0.1f);
    CHECK_EQ(a,
             isnan(steps)
                 ? -128
                 : oracleClamp((int64_t)(steps > 1e6f ? 1e6f : (steps < -1e6f ? -1e6f : steps)) + 7,
                               -128, 127));
    CHECK_EQ(c, oracleClamp((int64_t)oracleRequantize(a - 7, multiplier, 0) - 3, -100, 127));
    checkClose(((const float*)tigris_output(&run.ctx, 2))[i], (c + 3) * 0.125, 1);
  }
  builderFree(&b);
}

int main(void) {
  uint32_t k;
  for (k = TIGRIS_FN_ABS; k <= TIGRIS_FN_SHRINK; ++k)
    testUnary(k, k % 3 != 0);
  testLookupAndClamp(0);
  testLookupAndClamp(1);
  testConversions();
  checkTileCounts();
  checkInPlaceCounts();
  return finish();
}
