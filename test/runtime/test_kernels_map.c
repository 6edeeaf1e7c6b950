/* Binary and unary ops, tables, clamps, normalizations and conversions against naive references.
 *
 * Over 500 lines: each operator has a reference, and a program has one set of helpers. */
#include <math.h>

#include "one_op.h"

#define LIMIT 20000

static int32_t elementsOf(int rank, const int32_t* dims) {
  int32_t n = 1;
  int i;
  for (i = 0; i < rank; ++i)
    n *= dims[i];
  return n;
}

static int randomShape(int32_t* dims, int32_t most) {
  const int rank = randomInt(1, 5);
  int i;
  for (i = 0; i < rank; ++i)
    dims[i] = randomInt(1, most);
  return rank;
}

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

static void testBatchNorm(void) {
  const int32_t dims[4] = {1, 3, 2, 13};
  const int32_t c[1] = {13};
  float scale[13];
  float offset[13];
  tigris_clamp_params p;
  Builder b;
  OneOp run;
  int in[3];
  int out;
  int32_t i;
  randomFloats(scale, 13);
  randomFloats(offset, 13);
  p.lo.f = 0.0f;
  p.hi.f = 6.0f;
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
  in[1] = builderConst(&b, TIGRIS_F32, 1, c, TIGRIS_NONE, scale);
  in[2] = builderConst(&b, TIGRIS_F32, 1, c, TIGRIS_NONE, offset);
  out = builderTensor(&b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_BATCH_NORM, 3, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  randomFloats((float*)tigris_input(&run.ctx, 0), 78);
  runWhole(&run);
  for (i = 0; i < 78; ++i) {
    const double v = (double)((float*)tigris_input(&run.ctx, 0))[i] * (double)scale[i % 13] +
                     (double)offset[i % 13];
    checkClose(((const float*)tigris_output(&run.ctx, 0))[i], v < 0 ? 0 : v, 1);
  }
  checkStrips(&run, rowsSame);
  builderFree(&b);
}

/* Float softmax and log-softmax on any axis. */
static void testSoftmaxF32(int isLog) {
  int32_t dims[5];
  const int rank = randomShape(dims, 6);
  tigris_softmax_params p;
  Builder b;
  OneOp run;
  int in[1];
  int out;
  int32_t inner = 1;
  int32_t o;
  int32_t i;
  int32_t k;
  memset(&p, 0, sizeof p);
  p.axis = randomInt(0, rank - 1);
  for (i = p.axis + 1; i < rank; ++i)
    inner *= dims[i];
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_F32, (uint8_t)rank, dims, TIGRIS_NONE);
  out = builderTensor(&b, TIGRIS_F32, (uint8_t)rank, dims, TIGRIS_NONE);
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, isLog ? TIGRIS_OP_LOG_SOFTMAX : TIGRIS_OP_SOFTMAX, 1, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  randomFloats((float*)tigris_input(&run.ctx, 0), (size_t)elementsOf(rank, dims));
  runWhole(&run);
  for (o = 0; o < elementsOf(p.axis, dims); ++o) {
    for (i = 0; i < inner; ++i) {
      const float* x = (float*)tigris_input(&run.ctx, 0) + o * dims[p.axis] * inner + i;
      const float* y = (const float*)tigris_output(&run.ctx, 0) + o * dims[p.axis] * inner + i;
      double sum = 0;
      for (k = 0; k < dims[p.axis]; ++k)
        sum += exp((double)x[k * inner]);
      for (k = 0; k < dims[p.axis]; ++k) {
        const double v = exp((double)x[k * inner]) / sum;
        checkClose(y[k * inner], isLog ? log(v) : v, 1);
      }
    }
  }
  builderFree(&b);
}

/* TFLite's PreprocessSoftmaxScaling and CalculateInputRadius for beta 1 and 5 integer bits. */
static void softmaxParams(double scale, tigris_softmax_params* p) {
  double real = scale * (1 << 26);
  int exponent;
  double fraction;
  if (real > 2147483647.0)
    real = 2147483647.0;
  fraction = frexp(real, &exponent);
  p->multiplier = (int32_t)floor(fraction * 2147483648.0 + 0.5);
  p->left_shift = exponent;
  p->diff_min = -(int32_t)floor(31.0 * (1 << 26) / pow(2, exponent));
}

static void testSoftmaxS8(void) {
  const int32_t dims[2] = {3, randomInt(1, 40)};
  const float scale = randomFloat(0.01f, 0.3f);
  tigris_softmax_params p;
  Builder b;
  OneOp run;
  int in[1];
  int out;
  int32_t o;
  int32_t k;
  memset(&p, 0, sizeof p);
  p.axis = 1;
  softmaxParams((double)scale, &p);
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_S8, 2, dims, builderQuant(&b, scale, 4));
  out = builderTensor(&b, TIGRIS_S8, 2, dims, builderQuant(&b, 1.0f / 256, -128));
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_SOFTMAX, 1, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  randomBytes((int8_t*)tigris_input(&run.ctx, 0), (size_t)(3 * dims[1]));
  runWhole(&run);
  for (o = 0; o < 3; ++o) {
    const int8_t* x = (int8_t*)tigris_input(&run.ctx, 0) + o * dims[1];
    const int8_t* y = (const int8_t*)tigris_output(&run.ctx, 0) + o * dims[1];
    double sum = 0;
    for (k = 0; k < dims[1]; ++k)
      sum += exp((double)scale * x[k]);
    for (k = 0; k < dims[1]; ++k) {
      double v = exp((double)scale * x[k]) / sum * 256 - 128;
      v = v > 127 ? 127 : v;
      CHECK(fabs(y[k] - v) <= 0.6);
    }
  }
  checkStrips(&run, rowsSame);
  builderFree(&b);
}

/* Values computed by another implementation of the same arithmetic (CMSIS-NN arm_softmax_s8). */
static void testSoftmaxGolden(void) {
  static const int8_t x[12] = {-80, -48, 16, 0, -96, 127, 120, 100, 5, 4, 3, -128};
  static const int8_t expected[12] = {-128, -128, -128, -128, -128, 36,
                                      -47,  -117, -128, -128, -128, -128};
  const int32_t dims[2] = {1, 12};
  tigris_softmax_params p;
  Builder b;
  OneOp run;
  int in[1];
  int out;
  memset(&p, 0, sizeof p);
  p.axis = 1;
  softmaxParams(0.1, &p);
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_S8, 2, dims, builderQuant(&b, 0.1f, 0));
  out = builderTensor(&b, TIGRIS_S8, 2, dims, builderQuant(&b, 1.0f / 256, -128));
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_SOFTMAX, 1, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  memcpy(tigris_input(&run.ctx, 0), x, sizeof x);
  runWhole(&run);
  CHECK(memcmp(tigris_output(&run.ctx, 0), expected, sizeof expected) == 0);
  builderFree(&b);
}

static void testLayerNorm(void) {
  const int32_t dims[3] = {2, 3, 24};
  const int32_t c[1] = {24};
  float scale[24];
  float bias[24];
  tigris_layer_norm_params p;
  Builder b;
  OneOp run;
  int in[3];
  int out;
  int32_t o;
  int32_t k;
  randomFloats(scale, 24);
  randomFloats(bias, 24);
  p.axes = 1;
  p.epsilon = 1e-5f;
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_F32, 3, dims, TIGRIS_NONE);
  in[1] = builderConst(&b, TIGRIS_F32, 1, c, TIGRIS_NONE, scale);
  in[2] = randomInt(0, 1) ? builderConst(&b, TIGRIS_F32, 1, c, TIGRIS_NONE, bias) : -1;
  out = builderTensor(&b, TIGRIS_F32, 3, dims, TIGRIS_NONE);
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_LAYER_NORM, 3, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  randomFloats((float*)tigris_input(&run.ctx, 0), 144);
  runWhole(&run);
  for (o = 0; o < 6; ++o) {
    const float* x = (float*)tigris_input(&run.ctx, 0) + o * 24;
    double mean = 0;
    double variance = 0;
    for (k = 0; k < 24; ++k)
      mean += (double)x[k] / 24;
    for (k = 0; k < 24; ++k)
      variance += ((double)x[k] - mean) * ((double)x[k] - mean) / 24;
    for (k = 0; k < 24; ++k)
      checkClose(((const float*)tigris_output(&run.ctx, 0))[o * 24 + k],
                 ((double)x[k] - mean) / sqrt(variance + 1e-5) * (double)scale[k] +
                     (in[2] < 0 ? 0 : (double)bias[k]),
                 2);
  }
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
    testSoftmaxF32(k % 2 == 0);
    testSoftmaxS8();
    testLayerNorm();
  }
  for (k = TIGRIS_FN_ABS; k <= TIGRIS_FN_SHRINK; ++k)
    testUnary(k, k % 3 != 0);
  testDivS8();
  testLookupAndClamp(0);
  testLookupAndClamp(1);
  testBatchNorm();
  testSoftmaxGolden();
  testConversions();
  checkTileCounts();
  return finish();
}
