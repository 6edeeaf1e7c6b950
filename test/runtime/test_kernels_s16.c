/* int16 kernels other than products: binary ops, pools, maps and moves against naive references,
 * whole and in tiles. */
#include <math.h>

#include "kernels/wide_s16.h"
#include "one_op.h"
#include "s16.h"

static void testRequantize(void) {
  int i;
  for (i = 0; i < 20000; ++i) {
    const int64_t x = ((int64_t)(int32_t)randomBits() * 32768) >> randomInt(0, 45);
    const int32_t multiplier = randomInt(1 << 30, INT32_MAX - 1);
    const int32_t shift = randomInt(-31, 6);
    CHECK_EQ(tigris_requantize_wide(x, multiplier, shift), scaledWide(x, multiplier, 31 - shift));
  }
  CHECK_EQ(tigris_requantize_wide(3, 1 << 30, 0), 2);   /* 1.5 */
  CHECK_EQ(tigris_requantize_wide(-3, 1 << 30, 0), -1); /* -1.5 */
  CHECK_EQ(tigris_requantize_wide(5, 1 << 30, 30), INT64_C(5) << 29);
  CHECK(tigris_requantize_wide(INT64_MAX, INT32_MAX, 30) > INT16_MAX);
  CHECK(tigris_requantize_wide(INT64_MIN, INT32_MAX, 30) < INT16_MIN);
}

static void testBinary(uint16_t opcode) {
  const int extreme = opcode == TIGRIS_OP_MAXIMUM || opcode == TIGRIS_OP_MINIMUM;
  const int32_t ad[3] = {1, 6, 9};
  const int32_t bd[1] = {9};
  const int32_t zero[3] = {extreme ? 4 : randomInt(-500, 500), extreme ? 4 : randomInt(-500, 500),
                           extreme ? 4 : randomInt(-500, 500)};
  tigris_binary_params p;
  const int16_t* a;
  const int16_t* c;
  const int16_t* y;
  Builder b;
  OneOp run;
  int in[2];
  int out;
  int32_t i;
  memset(&p, 0, sizeof p);
  p.lo.i = -32000;
  p.hi.i = 32000;
  p.a_multiplier = randomInt(1 << 29, INT32_MAX - 1);
  p.b_multiplier = randomInt(1 << 20, INT32_MAX - 1) * (opcode == TIGRIS_OP_SUB ? -1 : 1);
  p.out_multiplier = randomInt(1 << 30, INT32_MAX - 1);
  p.out_shift = opcode == TIGRIS_OP_MUL ? -randomInt(3, 7) : randomInt(-2, 2);
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, TIGRIS_S16, 3, ad, builderQuant(&b, 1, zero[0]));
  in[1] = builderTensor(&b, TIGRIS_S16, 1, bd, builderQuant(&b, 1, zero[1]));
  out = builderTensor(&b, TIGRIS_S16, 3, ad, builderQuant(&b, 1, zero[2]));
  builderInput(&b, in[0]);
  builderInput(&b, in[1]);
  builderOutput(&b, out);
  builderOp(&b, opcode, 2, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  fillS16((int16_t*)tigris_input(&run.ctx, 0), 54, -1000, 1000);
  fillS16((int16_t*)tigris_input(&run.ctx, 1), 9, -1000, 1000);
  runWhole(&run);
  a = (const int16_t*)tigris_input(&run.ctx, 0);
  c = (const int16_t*)tigris_input(&run.ctx, 1);
  y = (const int16_t*)tigris_output(&run.ctx, 0);
  for (i = 0; i < 54; ++i) {
    const int64_t u = a[i] - zero[0];
    const int64_t v = c[i % 9] - zero[1];
    int64_t want;
    if (opcode == TIGRIS_OP_MAXIMUM || opcode == TIGRIS_OP_MINIMUM)
      want = (opcode == TIGRIS_OP_MAXIMUM) == (u > v) ? u : v;
    else if (opcode == TIGRIS_OP_MUL)
      want = scaledOnce(u * v, p.out_multiplier, p.out_shift);
    else
      want = scaledOnce(u * p.a_multiplier + v * p.b_multiplier, 1, p.out_shift);
    CHECK_EQ(y[i], oracleClamp(want + zero[2], -32000, 32000));
  }
  builderFree(&b);
}

/* Pools of 2 x 3 over [1, 6, 9, 4], then a global pool. */
static void testPool(uint16_t opcode, int requantized) {
  const int isMax = opcode == TIGRIS_OP_MAX_POOL;
  const int32_t xd[4] = {1, 6, 9, 4};
  const int32_t yd[4] = {1, 3, 4, 4};
  const int32_t gd[4] = {1, 1, 1, 4};
  const int32_t inZero = randomInt(-100, 100);
  const int32_t outZero = requantized ? randomInt(-100, 100) : inZero;
  int32_t multipliers[6];
  int32_t shifts[6];
  tigris_pool_params p;
  tigris_global_pool_params g;
  tigris_reduce_params r;
  const int16_t* x;
  const int16_t* y;
  Builder b;
  OneOp run;
  int in;
  int out[3];
  uint32_t quant;
  int32_t i;
  int32_t k;
  memset(&p, 0, sizeof p);
  p.kernel_h = p.stride_h = 2;
  p.kernel_w = 3;
  p.stride_w = 2;
  p.dilation_h = p.dilation_w = 1;
  p.pad_left = 1;
  p.lo.i = g.lo.i = -32768;
  p.hi.i = g.hi.i = 32767;
  for (i = 0; i < 6; ++i) {
    multipliers[i] = INT32_MAX / (i + 1);
    shifts[i] = 0;
  }
  builderInit(&b, TIGRIS_IO_ARENA);
  p.requant = requantized ? builderRequant(&b, multipliers, shifts, 6) : TIGRIS_NONE;
  p.requant_count = requantized ? 6 : 0;
  g.requant = requantized ? builderRequant(&b, &multipliers[5], &shifts[5], 1) : TIGRIS_NONE;
  g.requant_count = requantized ? 1 : 0;
  r.kind = isMax ? TIGRIS_REDUCE_MIN : TIGRIS_REDUCE_MEAN;
  r.axes = 6;
  r.requant = isMax ? TIGRIS_NONE : builderRequant(&b, &multipliers[5], &shifts[5], 1);
  r.requant_count = isMax ? 0 : 1;
  quant = builderQuant(&b, 1, outZero);
  in = builderTensor(&b, TIGRIS_S16, 4, xd, builderQuant(&b, 1, inZero));
  out[0] = builderTensor(&b, TIGRIS_S16, 4, yd, quant);
  out[1] = builderTensor(&b, TIGRIS_S16, 4, gd, quant);
  out[2] = builderTensor(&b, TIGRIS_S16, 4, gd, quant);
  builderInput(&b, in);
  for (i = 0; i < 3; ++i)
    builderOutput(&b, out[i]);
  builderOp(&b, opcode, 1, &in, out[0], &p, sizeof p);
  builderOp(&b, TIGRIS_OP_GLOBAL_AVERAGE_POOL, 1, &in, out[1], &g, sizeof g);
  builderOp(&b, TIGRIS_OP_REDUCE, 1, &in, out[2], &r, sizeof r);
  if (!oneOpOpen(&run, &b))
    return;
  fillS16((int16_t*)tigris_input(&run.ctx, 0), 216, -2000, 2000);
  runWhole(&run);
  x = (const int16_t*)tigris_input(&run.ctx, 0);
  y = (const int16_t*)tigris_output(&run.ctx, 0);
  for (i = 0; i < 48; ++i) {
    int32_t most = INT16_MIN;
    int64_t sum = 0;
    int32_t taps = 0;
    for (k = 0; k < 6; ++k) {
      const int32_t row = i / 16 * 2 + k / 3;
      const int32_t column = i / 4 % 4 * 2 - 1 + k % 3;
      const int32_t v = column < 0 || column >= 9 ? 0 : x[(row * 9 + column) * 4 + i % 4];
      if (column < 0 || column >= 9)
        continue;
      most = v > most ? v : most;
      sum += v;
      ++taps;
    }
    if (isMax)
      CHECK_EQ(y[i], most);
    else if (requantized)
      CHECK_EQ(y[i], scaledOnce(sum - taps * inZero, multipliers[taps - 1], 0) + outZero);
    else
      CHECK_EQ(y[i], (int32_t)round((double)sum / taps));
  }
  for (i = 0; i < 4; ++i) {
    int32_t least = INT16_MAX;
    int64_t sum = 0;
    for (k = 0; k < 54; ++k) {
      const int32_t v = x[k * 4 + i];
      least = v < least ? v : least;
      sum += v;
    }
    CHECK_EQ(((const int16_t*)tigris_output(&run.ctx, 1))[i],
             requantized ? scaledOnce(sum - 54 * inZero, multipliers[5], 0) + outZero
                         : (int32_t)round((double)sum / 54));
    CHECK_EQ(((const int16_t*)tigris_output(&run.ctx, 2))[i],
             isMax ? least : scaledOnce(sum - 54 * inZero, multipliers[5], 0) + outZero);
  }
  builderFree(&b);
}

/* float -> Q -> Requantize -> clamp -> Tanh -> DQ. */
static void testMaps(void) {
  static const float special[4] = {1e30f, -1e30f, NAN, 0.00015f};
  const int32_t dims[2] = {1, 300};
  tigris_requantize_params r;
  tigris_clamp_params clamp;
  tigris_unary_params tanhOf;
  const int16_t* v[4];
  const float* x;
  Builder b;
  OneOp run;
  int t[6];
  int32_t i;
  uint32_t k;
  r.multiplier = 1717986918; /* 0.8 */
  r.shift = 0;
  r.lo = -30000;
  r.hi = 32767;
  clamp.lo.i = -20000;
  clamp.hi.i = 25000;
  memset(&tanhOf, 0, sizeof tanhOf);
  tanhOf.function = TIGRIS_FN_TANH;
  builderInit(&b, TIGRIS_IO_ARENA);
  t[0] = builderTensor(&b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  t[1] = builderTensor(&b, TIGRIS_S16, 2, dims, builderQuant(&b, 0.0001f, 70));
  t[2] = builderTensor(&b, TIGRIS_S16, 2, dims, builderQuant(&b, 0.000125f, -3));
  t[3] = builderTensor(&b, TIGRIS_S16, 2, dims, builderQuant(&b, 0.000125f, -3));
  t[4] = builderTensor(&b, TIGRIS_S16, 2, dims, builderQuant(&b, 1.0f / 32768, 0));
  t[5] = builderTensor(&b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  builderInput(&b, t[0]);
  for (k = 1; k < 6; ++k)
    builderOutput(&b, t[k]);
  builderOp(&b, TIGRIS_OP_QUANTIZE, 1, &t[0], t[1], NULL, 0);
  builderOp(&b, TIGRIS_OP_REQUANTIZE, 1, &t[1], t[2], &r, sizeof r);
  builderOp(&b, TIGRIS_OP_CLAMP, 1, &t[2], t[3], &clamp, sizeof clamp);
  builderOp(&b, TIGRIS_OP_UNARY, 1, &t[3], t[4], &tanhOf, sizeof tanhOf);
  builderOp(&b, TIGRIS_OP_DEQUANTIZE, 1, &t[4], t[5], NULL, 0);
  if (!oneOpOpen(&run, &b))
    return;
  randomFloats((float*)tigris_input(&run.ctx, 0), 300);
  for (i = 0; i < 300; ++i)
    ((float*)tigris_input(&run.ctx, 0))[i] *= 4;
  memcpy(tigris_input(&run.ctx, 0), special, sizeof special);
  runWhole(&run);
  x = (const float*)tigris_input(&run.ctx, 0);
  for (k = 0; k < 4; ++k)
    v[k] = (const int16_t*)tigris_output(&run.ctx, k);
  for (i = 0; i < 300; ++i) {
    const double steps = isnan(x[i]) ? -1e6 : fmax(fmin((double)rintf(x[i] / 0.0001f), 1e6), -1e6);
    CHECK_EQ(v[0][i], oracleClamp((int64_t)steps + 70, INT16_MIN, INT16_MAX));
    CHECK_EQ(v[1][i],
             oracleClamp((int64_t)scaledOnce(v[0][i] - 70, r.multiplier, 0) - 3, -30000, 32767));
    CHECK_EQ(v[2][i], oracleClamp(v[1][i], -20000, 25000));
    CHECK(fabs(v[3][i] / 32768.0 - tanh((v[2][i] + 3) * 0.000125)) < 0.6 / 32768 + 1e-6);
    checkClose(((const float*)tigris_output(&run.ctx, 4))[i], v[3][i] / 32768.0, 1);
  }
  builderFree(&b);
}

/* Movement of two-byte elements with a stride, and the zeros of a reset state. */
static void testMoves(void) {
  const int32_t xd[3] = {1, 6, 5};
  const int32_t yd[3] = {1, 5, 6};
  const int32_t pd[3] = {1, 7, 6};
  const int32_t perm[3] = {0, 2, 1};
  tigris_transpose_params p;
  tigris_pad_params pad;
  const int16_t* x;
  const int16_t* z;
  Builder b;
  OneOp run;
  int t[3];
  uint32_t quant;
  int32_t i;
  memset(&pad, 0, sizeof pad);
  pad.before[1] = 1;
  pad.value.i = -777;
  builderInit(&b, TIGRIS_IO_ARENA);
  p.perm = builderInts(&b, perm, 3);
  quant = builderQuant(&b, 1, -777);
  t[0] = builderTensor(&b, TIGRIS_S16, 3, xd, quant);
  t[1] = builderTensor(&b, TIGRIS_S16, 3, yd, quant);
  t[2] = builderTensor(&b, TIGRIS_S16, 3, pd, quant);
  builderInput(&b, t[0]);
  builderOutput(&b, t[2]);
  builderOp(&b, TIGRIS_OP_TRANSPOSE, 1, &t[0], t[1], &p, sizeof p);
  builderOp(&b, TIGRIS_OP_PAD, 1, &t[1], t[2], &pad, sizeof pad);
  if (!oneOpOpen(&run, &b))
    return;
  fillS16((int16_t*)tigris_input(&run.ctx, 0), 30, -32768, 32767);
  runWhole(&run);
  x = (const int16_t*)tigris_input(&run.ctx, 0);
  z = (const int16_t*)tigris_output(&run.ctx, 0);
  for (i = 0; i < 42; ++i) {
    const int32_t row = i / 6 - 1;
    CHECK_EQ(z[i], row < 0 || row >= 5 ? -777 : x[i % 6 * 5 + row]);
  }
  builderFree(&b);
}

int main(void) {
  static const uint16_t opcodes[] = {TIGRIS_OP_ADD, TIGRIS_OP_SUB, TIGRIS_OP_MUL, TIGRIS_OP_MAXIMUM,
                                     TIGRIS_OP_MINIMUM};
  uint32_t i;
  int k;
  testRequantize();
  for (k = 0; k < 20; ++k) {
    for (i = 0; i < sizeof opcodes / sizeof opcodes[0]; ++i)
      testBinary(opcodes[i]);
    testPool(k % 2 ? TIGRIS_OP_AVERAGE_POOL : TIGRIS_OP_MAX_POOL, k % 4 == 3);
  }
  testMaps();
  testMoves();
  return finish();
}
