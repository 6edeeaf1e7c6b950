/* Ops with TIGRIS_ROUND_EVEN against references with integer division, whole and in tiles; and what
 * the loader rejects. */
#include "fixed_point.h"
#include "one_op.h"

#define CHANNELS 6
#define WORD(divisor, power) ((divisor) << 6 | (power))

/* n / d rounded half to even, from the definition. */
static int64_t even(int64_t n, int64_t d) {
  const int64_t magnitude = n < 0 ? -n : n;
  const int64_t below = magnitude / d;
  const int64_t twice = 2 * (magnitude - below * d);
  const int64_t result = twice < d || (twice == d && below % 2 == 0) ? below : below + 1;
  return n < 0 ? -result : result;
}

static void testQuotients(void) {
  int64_t n;
  int i;
  for (n = -64; n <= 64; ++n) {
    for (i = 1; i <= 12; ++i) {
      CHECK_EQ(tigris_divide_even(n, i), even(n, i));
      CHECK_EQ(tigris_quotient_even(n, WORD(i, 2)), even(n, 4 * i));
      CHECK_EQ(tigris_quotient_even(n, WORD(1, i)), even(n, 1 << i));
    }
    CHECK_EQ(tigris_quotient_even(n, WORD(1, 0)), n);
  }
  CHECK_EQ(tigris_quotient_even(INT64_C(5) << 59, WORD(1, 60)), 2);
  CHECK_EQ(tigris_quotient_even(-(INT64_C(7) << 59), WORD(1, 60)), -4);
  CHECK(tigris_denominator_ok(WORD(1, 0)) && tigris_denominator_ok(WORD(1, 60)));
  CHECK(tigris_denominator_ok(WORD(0x1FFFFFF, 35)) && tigris_denominator_ok((int32_t)0xFFFFFFC0u));
  CHECK(!tigris_denominator_ok(0) && !tigris_denominator_ok(63) && !tigris_denominator_ok(-1));
  CHECK(!tigris_denominator_ok(WORD(1, 61)) && !tigris_denominator_ok(WORD(3, 60)));
}

static void roundEven(Builder* b) {
  ((tigris_op*)(void*)b->section[TIGRIS_SECTION_OPS].data)->flags |= TIGRIS_ROUND_EVEN;
}

static int32_t stored(const void* data, uint8_t dtype, int32_t at) {
  return dtype == TIGRIS_S8 ? ((const int8_t*)data)[at] : ((const int16_t*)data)[at];
}

static int32_t least(uint8_t dtype) { return dtype == TIGRIS_S8 ? -128 : -32768; }

/* Random stored values, small so that few results saturate. */
static void fill(void* to, uint8_t dtype, int32_t n) {
  int32_t i;
  for (i = 0; i < n; ++i) {
    if (dtype == TIGRIS_S8)
      ((int8_t*)to)[i] = (int8_t)randomInt(-60, 60);
    else
      ((int16_t*)to)[i] = (int16_t)randomInt(-60, 60);
  }
}

/* Opens a plan of one op from x and constants and fills x. Returns 0 if it is rejected. */
static int runEven(OneOp* run, Builder* b, uint8_t dtype, int32_t elements) {
  roundEven(b);
  if (!oneOpOpen(run, b))
    return 0;
  fill(tigris_input(&run->ctx, 0), dtype, elements);
  return runWhole(run);
}

/* A layer of 1 x 1 taps over CHANNELS channels: every opcode computes the same; depthwise has one
 * channel each. */
static void testDense(uint16_t opcode, uint8_t dtype, int32_t divisor) {
  const int32_t xd[4] = {1, 5, 4, CHANNELS};
  const int32_t wd[4] = {CHANNELS, 1, 1, CHANNELS};
  const int32_t fd[2] = {CHANNELS, CHANNELS};
  const int32_t dd[3] = {1, 1, CHANNELS};
  const int isFc = opcode == TIGRIS_OP_FULLY_CONNECTED;
  const int depthwise = opcode == TIGRIS_OP_DEPTHWISE_CONV;
  const int32_t taps = depthwise ? 1 : CHANNELS;
  const int32_t zero = randomInt(-20, 20);
  const int32_t outZero = randomInt(-20, 20);
  int32_t pairs[4 * CHANNELS];
  int64_t offsets[CHANNELS];
  int32_t zeros[CHANNELS];
  int8_t w[CHANNELS * CHANNELS];
  tigris_conv_params p;
  tigris_fc_params f;
  Builder b;
  OneOp run;
  int in[2];
  int out;
  int32_t o;
  int32_t i;
  memset(&p, 0, sizeof p);
  memset(&f, 0, sizeof f);
  p.kernel_h = p.kernel_w = p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
  p.groups = depthwise ? CHANNELS : 1;
  builderInit(&b, TIGRIS_IO_ARENA);
  for (i = 0; i < CHANNELS * CHANNELS; ++i)
    w[i] = (int8_t)randomInt(-6, 6);
  for (o = 0; o < CHANNELS; ++o) {
    zeros[o] = randomInt(-2, 2);
    offsets[o] = (int64_t)randomInt(-500, 500) * ((INT64_C(1) << 34) + 1) * (o % 2);
    pairs[o] = (3 - 2 * (o % 2)) << 20;
    pairs[CHANNELS + o] = WORD(divisor, 24 + o);
    pairs[2 * CHANNELS + o] = (int32_t)(uint32_t)((uint64_t)offsets[o] & 0xFFFFFFFFu);
    pairs[3 * CHANNELS + o] = (int32_t)(offsets[o] >> 32);
  }
  f.lo.i = p.lo.i = -100;
  f.hi.i = p.hi.i = 110;
  builderDenseEven(&b, pairs, CHANNELS, zeros, CHANNELS);
  in[0] = builderTensor(&b, dtype, 4, xd, builderQuant(&b, 0.5f, zero));
  in[1] = builderConst(&b, TIGRIS_S8, isFc ? 2 : (depthwise ? 3 : 4),
                       isFc ? fd : (depthwise ? dd : wd), TIGRIS_NONE, w);
  out = builderTensor(&b, dtype, 4, xd, builderQuant(&b, 0.5f, outZero));
  builderInput(&b, in[0]);
  builderOutput(&b, out);
  builderOp(&b, opcode, 2, in, out, isFc ? (const void*)&f : &p, isFc ? sizeof f : sizeof p);
  if (!runEven(&run, &b, dtype, 20 * CHANNELS))
    return;
  for (i = 0; i < 20 * CHANNELS; ++i) {
    const void* x = tigris_input(&run.ctx, 0);
    int64_t sum = 0;
    int32_t k;
    o = i % CHANNELS;
    for (k = 0; k < taps; ++k)
      sum += (int64_t)(stored(x, dtype, depthwise ? i : i - o + k) - zero) *
             (w[depthwise ? o : o * CHANNELS + k] - zeros[o]);
    CHECK_EQ(stored(tigris_output(&run.ctx, 0), dtype, i),
             oracleClamp(even(sum * pairs[o] + offsets[o], (int64_t)divisor << (24 + o)) + outZero,
                         -100, 110));
  }
}

static void testMatmul(uint8_t dtype) {
  const int32_t ad[2] = {7, 3};
  const int32_t bd[2] = {3, 7};
  const int32_t yd[2] = {7, 7};
  const tigris_matmul_params p = {0, 5, WORD(3, 3)};
  Builder b;
  OneOp run;
  int in[2];
  int out;
  int32_t i;
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, dtype, 2, ad, builderQuant(&b, 0.5f, 3));
  in[1] = builderTensor(&b, dtype, 2, bd, builderQuant(&b, 0.5f, -1));
  out = builderTensor(&b, dtype, 2, yd, builderQuant(&b, 0.5f, 1));
  builderInput(&b, in[0]);
  builderInput(&b, in[1]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_MATMUL, 2, in, out, &p, sizeof p);
  roundEven(&b);
  if (!oneOpOpen(&run, &b))
    return;
  fill(tigris_input(&run.ctx, 0), dtype, 21);
  fill(tigris_input(&run.ctx, 1), dtype, 21);
  runWhole(&run);
  for (i = 0; i < 49; ++i) {
    int64_t sum = 0;
    int32_t k;
    for (k = 0; k < 3; ++k)
      sum += (int64_t)(stored(tigris_input(&run.ctx, 0), dtype, i / 7 * 3 + k) - 3) *
             (stored(tigris_input(&run.ctx, 1), dtype, k * 7 + i % 7) + 1);
    CHECK_EQ(stored(tigris_output(&run.ctx, 0), dtype, i),
             oracleClamp(even(sum * 5, 24) + 1, least(dtype), -least(dtype) - 1));
  }
}

/* Windows of 2 x 2, a whole image, or the mean over axes 1 and 2, scaled by 3. */
static void testMean(uint16_t opcode, uint8_t dtype) {
  const int global = opcode != TIGRIS_OP_AVERAGE_POOL;
  const int32_t xd[4] = {1, 4, 4, CHANNELS};
  const int32_t yd[4] = {1, global ? 1 : 3, global ? 1 : 3, CHANNELS};
  const int32_t multipliers[4] = {3, 3, 3, 3};
  const int32_t shifts[4] = {WORD(1, 0), WORD(1, 1), WORD(3, 0), WORD(1, 2)};
  const int32_t whole = WORD(1, 4);
  tigris_pool_params pool;
  tigris_global_pool_params average;
  tigris_reduce_params reduce;
  const void* params = &pool;
  uint32_t size = sizeof pool;
  Builder b;
  OneOp run;
  int in;
  int out;
  int32_t i;
  memset(&pool, 0, sizeof pool);
  builderInit(&b, TIGRIS_IO_ARENA);
  pool.kernel_h = pool.kernel_w = 2;
  pool.stride_h = pool.stride_w = pool.dilation_h = pool.dilation_w = 1;
  pool.lo.i = average.lo.i = least(dtype);
  pool.hi.i = average.hi.i = -least(dtype) - 1;
  pool.requant = builderRequant(&b, multipliers, shifts, 4);
  pool.requant_count = 4;
  average.requant = reduce.requant = builderRequant(&b, multipliers, &whole, 1);
  average.requant_count = reduce.requant_count = 1;
  reduce.kind = TIGRIS_REDUCE_MEAN;
  reduce.axes = 6;
  if (opcode == TIGRIS_OP_GLOBAL_AVERAGE_POOL) {
    params = &average;
    size = sizeof average;
  } else if (opcode == TIGRIS_OP_REDUCE) {
    params = &reduce;
    size = sizeof reduce;
  }
  in = builderTensor(&b, dtype, 4, xd, builderQuant(&b, 0.5f, 3));
  out = builderTensor(&b, dtype, 4, yd, builderQuant(&b, 0.5f, 5));
  builderInput(&b, in);
  builderOutput(&b, out);
  builderOp(&b, opcode, 1, &in, out, params, size);
  if (!runEven(&run, &b, dtype, 16 * CHANNELS))
    return;
  for (i = 0; i < yd[1] * yd[2] * CHANNELS; ++i) {
    const int32_t pixel = i / CHANNELS;
    const int32_t width = global ? 4 : 2;
    int64_t sum = 0;
    int32_t k;
    for (k = 0; k < width * width; ++k) {
      const int32_t row = pixel / yd[2] + k / width;
      const int32_t column = pixel % yd[2] + k % width;
      sum +=
          stored(tigris_input(&run.ctx, 0), dtype, (row * 4 + column) * CHANNELS + i % CHANNELS) -
          3;
    }
    CHECK_EQ(stored(tigris_output(&run.ctx, 0), dtype, i),
             oracleClamp(even(sum * 3, width * width) + 5, least(dtype), -least(dtype) - 1));
  }
}

static void testBinary(uint16_t opcode, uint8_t dtype) {
  const int32_t dims[2] = {9, 11};
  tigris_binary_params p;
  Builder b;
  OneOp run;
  int in[2];
  int out;
  int32_t i;
  memset(&p, 0, sizeof p);
  p.lo.i = -120;
  p.hi.i = 100;
  p.a_multiplier = 3;
  p.b_multiplier = opcode == TIGRIS_OP_SUB ? -2 : 2;
  p.out_multiplier = 5;
  p.out_shift = WORD(3, 2);
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, dtype, 2, dims, builderQuant(&b, 0.5f, 3));
  in[1] = builderTensor(&b, dtype, 2, dims, builderQuant(&b, 0.5f, -1));
  out = builderTensor(&b, dtype, 2, dims, builderQuant(&b, 0.5f, 1));
  builderInput(&b, in[0]);
  builderInput(&b, in[1]);
  builderOutput(&b, out);
  builderOp(&b, opcode, 2, in, out, &p, sizeof p);
  roundEven(&b);
  if (!oneOpOpen(&run, &b))
    return;
  fill(tigris_input(&run.ctx, 0), dtype, 99);
  fill(tigris_input(&run.ctx, 1), dtype, 99);
  runWhole(&run);
  for (i = 0; i < 99; ++i) {
    const int64_t x = stored(tigris_input(&run.ctx, 0), dtype, i) - 3;
    const int64_t z = stored(tigris_input(&run.ctx, 1), dtype, i) + 1;
    int64_t v;
    if (opcode == TIGRIS_OP_DIV)
      v = z == 0 ? 1000 * x : even(z < 0 ? -5 * x : 5 * x, 12 * (z < 0 ? -z : z));
    else
      v = even(opcode == TIGRIS_OP_MUL ? 5 * x * z : 3 * x + p.b_multiplier * z, 12);
    CHECK_EQ(stored(tigris_output(&run.ctx, 0), dtype, i), oracleClamp(v + 1, -120, 100));
  }
}

static void testResize(void) {
  const int32_t xd[4] = {1, 2, 3, CHANNELS};
  const int32_t yd[4] = {1, 4, 3, CHANNELS};
  const int32_t rows[8] = {0, 1, 0, 1, 0, 1, 0, 1};
  const int32_t rowWeights[8] = {4, 0, 3, 1, 1, 3, 0, 4};
  const int32_t columns[6] = {0, 1, 1, 2, 2, 2};
  const int32_t firstRows[4] = {0, 0, 0, 0};
  const int32_t firstColumns[3] = {0, 1, 2};
  const int32_t columnWeights[6] = {3, 3, 5, 1, 6, 0};
  tigris_resize_params p = {{2, 4, 0, 0, 0, 0, 0}, {2, 3, 2, 0, 0, 0, 0}};
  Builder b;
  OneOp run;
  int in;
  int out;
  int32_t i;
  builderInit(&b, TIGRIS_IO_ARENA);
  p.h.first = builderInts(&b, firstRows, 4);
  p.w.first = builderInts(&b, firstColumns, 3);
  p.h.weight = builderInts(&b, rowWeights, 8);
  p.w.weight = builderInts(&b, columnWeights, 6);
  in = builderTensor(&b, TIGRIS_S8, 4, xd, builderQuant(&b, 0.5f, 3));
  out = builderTensor(&b, TIGRIS_S8, 4, yd, builderQuant(&b, 0.5f, 3));
  builderInput(&b, in);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_RESIZE, 1, &in, out, &p, sizeof p);
  if (!runEven(&run, &b, TIGRIS_S8, 6 * CHANNELS))
    return;
  for (i = 0; i < 12 * CHANNELS; ++i) {
    const int32_t row = i / (3 * CHANNELS);
    const int32_t column = i / CHANNELS % 3;
    int64_t sum = 0;
    int32_t k;
    for (k = 0; k < 4; ++k) {
      const int32_t at = rows[2 * row + k / 2] * 3 + columns[2 * column + k % 2];
      sum += (int64_t)rowWeights[2 * row + k / 2] * columnWeights[2 * column + k % 2] *
             (stored(tigris_input(&run.ctx, 0), TIGRIS_S8, at * CHANNELS + i % CHANNELS) - 3);
    }
    CHECK_EQ(stored(tigris_output(&run.ctx, 0), TIGRIS_S8, i),
             oracleClamp(even(sum, 24) + 3, -128, 127));
  }
}

/* REQUANTIZE to int16 with the given `flags` and shift word. */
static tigris_status openRequantize(OneOp* run, uint16_t opcode, uint8_t dtype, uint8_t flags,
                                    int32_t word) {
  const int32_t dims[1] = {16};
  const tigris_requantize_params p = {3, word, -128, 127};
  const tigris_clamp_params clamp = {{0}, {0}};
  tigris_plan plan;
  tigris_status status;
  uint32_t size;
  uint8_t* file;
  Builder b;
  int in;
  int out;
  builderInit(&b, TIGRIS_IO_ARENA);
  in = builderTensor(&b, dtype, 1, dims, builderQuant(&b, 0.5f, 3));
  out = builderTensor(&b, dtype, 1, dims, builderQuant(&b, 0.5f, 3));
  builderInput(&b, in);
  builderOutput(&b, out);
  builderOp(&b, opcode, 1, &in, out, opcode == TIGRIS_OP_CLAMP ? (const void*)&clamp : &p,
            opcode == TIGRIS_OP_CLAMP ? sizeof clamp : sizeof p);
  ((tigris_op*)(void*)b.section[TIGRIS_SECTION_OPS].data)->flags = flags;
  if (run != NULL) {
    oneOpOpen(run, &b);
    return TIGRIS_OK;
  }
  file = builderFinish(&b, &size);
  status = tigris_plan_open(&plan, file, size);
  release(file);
  builderFree(&b);
  return status;
}

static void testRequantize(void) {
  OneOp run;
  int32_t i;
  openRequantize(&run, TIGRIS_OP_REQUANTIZE, TIGRIS_S16, TIGRIS_ROUND_EVEN, WORD(1, 1));
  fill(tigris_input(&run.ctx, 0), TIGRIS_S16, 16);
  runWhole(&run);
  for (i = 0; i < 16; ++i)
    CHECK_EQ(stored(tigris_output(&run.ctx, 0), TIGRIS_S16, i),
             oracleClamp(even(3 * (stored(tigris_input(&run.ctx, 0), TIGRIS_S16, i) - 3), 2) + 3,
                         -128, 127));
}

static void testRefusals(void) {
  const uint16_t op = TIGRIS_OP_REQUANTIZE;
  CHECK_EQ(openRequantize(NULL, op, TIGRIS_S16, TIGRIS_ROUND_EVEN, WORD(1, 1)), TIGRIS_OK);
  CHECK_EQ(openRequantize(NULL, op, TIGRIS_S16, TIGRIS_ROUND_EVEN, 0), TIGRIS_E_OP);
  CHECK_EQ(openRequantize(NULL, op, TIGRIS_S16, TIGRIS_ROUND_EVEN, -1), TIGRIS_E_OP);
  CHECK_EQ(openRequantize(NULL, op, TIGRIS_S16, TIGRIS_ROUND_EVEN, WORD(1, 61)), TIGRIS_E_OP);
  CHECK_EQ(openRequantize(NULL, op, TIGRIS_S8, TIGRIS_ROUND_EVEN, WORD(1, 1)), TIGRIS_E_OP);
  CHECK_EQ(openRequantize(NULL, op, TIGRIS_S16, TIGRIS_ROUND_TWICE, 0), TIGRIS_OK);
  CHECK_EQ(openRequantize(NULL, op, TIGRIS_S16, TIGRIS_ROUND_TWICE, -32), TIGRIS_E_OP);
  CHECK_EQ(openRequantize(NULL, op, TIGRIS_S8, TIGRIS_ROUND_TWICE, 0), TIGRIS_E_UNSUPPORTED);
  CHECK_EQ(openRequantize(NULL, op, TIGRIS_S16, 2, 0), TIGRIS_E_UNSUPPORTED);
  CHECK_EQ(openRequantize(NULL, op, TIGRIS_S16, 255, 0), TIGRIS_E_UNSUPPORTED);
  CHECK_EQ(openRequantize(NULL, TIGRIS_OP_CLAMP, TIGRIS_S8, TIGRIS_ROUND_EVEN, 0),
           TIGRIS_E_UNSUPPORTED);
  CHECK_EQ(openRequantize(NULL, TIGRIS_OP_CLAMP, TIGRIS_S16, TIGRIS_ROUND_TWICE, 0),
           TIGRIS_E_UNSUPPORTED);
}

int main(void) {
  static const uint16_t dense[] = {TIGRIS_OP_CONV, TIGRIS_OP_DEPTHWISE_CONV,
                                   TIGRIS_OP_CONV_TRANSPOSE, TIGRIS_OP_FULLY_CONNECTED};
  static const uint16_t means[] = {TIGRIS_OP_AVERAGE_POOL, TIGRIS_OP_GLOBAL_AVERAGE_POOL,
                                   TIGRIS_OP_REDUCE};
  static const uint16_t binary[] = {TIGRIS_OP_ADD, TIGRIS_OP_SUB, TIGRIS_OP_MUL};
  static const uint8_t types[] = {TIGRIS_S8, TIGRIS_S16};
  uint32_t t;
  uint32_t i;
  testQuotients();
  for (t = 0; t < 2; ++t) {
    for (i = 0; i < 4; ++i) {
      testDense(dense[i], types[t], 1);
      testDense(dense[i], types[t], 3);
    }
    for (i = 0; i < 3; ++i)
      testMean(means[i], types[t]);
    for (i = 0; i < 3; ++i)
      testBinary(binary[i], types[t]);
    testMatmul(types[t]);
  }
  testBinary(TIGRIS_OP_DIV, TIGRIS_S8);
  testResize();
  testRequantize();
  testRefusals();
  return finish();
}
