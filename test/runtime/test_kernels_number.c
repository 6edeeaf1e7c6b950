/* Arithmetic of integers and bools, comparisons, selections and conversions against naive
 * references. */
#include <math.h>

#include "number_case.h"

static const uint8_t numbers[] = {TIGRIS_F32, TIGRIS_S32, TIGRIS_S64, TIGRIS_BOOL};

/* Element of an operand with broadcasting; its axes are the last ones of the output. */
static int32_t broadcastAt(int rank, const int32_t* index, int inRank, const int32_t* inDims) {
  int32_t own[MOST_RANK];
  int i;
  for (i = 0; i < inRank; ++i)
    own[i] = inDims[i] == 1 ? 0 : index[rank - inRank + i];
  return encode(inRank, inDims, own);
}

/* Opens an op whose operands, with broadcast shapes, are all inputs. */
static int openBroadcast(Case* c, uint16_t opcode, int inputs, const uint8_t* dtypes,
                         uint8_t outType, const void* params, uint32_t paramsSize) {
  int in[3];
  int out;
  int i;
  int k;
  c->rank = randomInt(1, MOST_RANK);
  for (i = 0; i < c->rank; ++i)
    c->dims[i] = randomInt(1, 5);
  builderInit(&c->b, TIGRIS_IO_ARENA);
  for (k = 0; k < inputs; ++k) {
    const int drop = randomInt(0, 2) == 0 ? randomInt(0, c->rank - 1) : 0;
    c->inRank[k] = c->rank - drop;
    for (i = drop; i < c->rank; ++i)
      c->inDims[k][i - drop] = randomInt(0, 2) == 0 ? 1 : c->dims[i];
    in[k] = builderTensor(&c->b, dtypes[k], (uint8_t)c->inRank[k], c->inDims[k], TIGRIS_NONE);
    builderInput(&c->b, in[k]);
  }
  out = builderTensor(&c->b, outType, (uint8_t)c->rank, c->dims, TIGRIS_NONE);
  builderOutput(&c->b, out);
  builderOp(&c->b, opcode, inputs, in, out, params, paramsSize);
  if (!oneOpOpen(&c->run, &c->b))
    return 0;
  for (k = 0; k < inputs; ++k)
    fill(tigris_input(&c->run.ctx, (unsigned)k), dtypes[k], elementsOf(c->inRank[k], c->inDims[k]));
  return 1;
}

/* Operand k of output element i. */
static double operand(Case* c, int k, uint8_t dtype, int32_t i) {
  int32_t index[MOST_RANK];
  decode(c->rank, c->dims, i, index);
  return load(tigris_input(&c->run.ctx, (unsigned)k), dtype,
              broadcastAt(c->rank, index, c->inRank[k], c->inDims[k]));
}

static void testCompare(uint16_t opcode, uint8_t dtype) {
  const uint8_t dtypes[2] = {dtype, dtype};
  Case c;
  int32_t i;
  if (!openBroadcast(&c, opcode, 2, dtypes, TIGRIS_BOOL, NULL, 0))
    return;
  runWhole(&c.run);
  for (i = 0; i < elementsOf(c.rank, c.dims); ++i) {
    const double a = operand(&c, 0, dtype, i);
    const double b = operand(&c, 1, dtype, i);
    int expected = a != b; /* XOR */
    if (opcode == TIGRIS_OP_EQUAL)
      expected = a == b;
    else if (opcode == TIGRIS_OP_LESS)
      expected = a < b;
    else if (opcode == TIGRIS_OP_LESS_EQUAL)
      expected = a <= b;
    else if (opcode == TIGRIS_OP_AND)
      expected = a != 0 && b != 0;
    else if (opcode == TIGRIS_OP_OR)
      expected = a != 0 || b != 0;
    CHECK_EQ(load(tigris_output(&c.run.ctx, 0), TIGRIS_BOOL, i), expected);
  }
  builderFree(&c.b);
}

static void testWhere(uint8_t dtype) {
  const uint8_t dtypes[3] = {TIGRIS_BOOL, dtype, dtype};
  Case c;
  int32_t i;
  if (!openBroadcast(&c, TIGRIS_OP_WHERE, 3, dtypes, dtype, NULL, 0))
    return;
  runWhole(&c.run);
  for (i = 0; i < elementsOf(c.rank, c.dims); ++i)
    CHECK(load(tigris_output(&c.run.ctx, 0), dtype, i) ==
          operand(&c, operand(&c, 0, TIGRIS_BOOL, i) != 0 ? 1 : 2, dtype, i));
  builderFree(&c.b);
}

static double integerOracle(uint16_t opcode, double a, double b) {
  switch (opcode) {
  case TIGRIS_OP_ADD:
    return a + b;
  case TIGRIS_OP_SUB:
    return a - b;
  case TIGRIS_OP_MUL:
    return a * b;
  case TIGRIS_OP_DIV:
    return b == 0 ? 0 : trunc(a / b);
  case TIGRIS_OP_MAXIMUM:
    return fmax(a, b);
  case TIGRIS_OP_MINIMUM:
    return fmin(a, b);
  case TIGRIS_OP_MOD:
    return b == 0 ? 0 : a - b * floor(a / b);
  default:
    return b == 0 ? 0 : fmod(a, b);
  }
}

static void testInteger(uint16_t opcode, uint8_t dtype) {
  const uint8_t dtypes[2] = {dtype, dtype};
  tigris_binary_params p;
  Case c;
  int32_t i;
  memset(&p, 0, sizeof p);
  if (!openBroadcast(&c, opcode, 2, dtypes, dtype, &p, sizeof p))
    return;
  runWhole(&c.run);
  for (i = 0; i < elementsOf(c.rank, c.dims); ++i)
    CHECK(load(tigris_output(&c.run.ctx, 0), dtype, i) ==
          integerOracle(opcode, operand(&c, 0, dtype, i), operand(&c, 1, dtype, i)));
  builderFree(&c.b);
}

/* The one quotient that does not fit, and division by 0, must not trap. */
static void testIntegerEdges(void) {
  static const int32_t a[4] = {INT32_MIN, INT32_MIN, 7, INT32_MAX};
  static const int32_t d[4] = {-1, 0, 0, 1};
  const int32_t dims[1] = {4};
  static const uint16_t opcodes[3] = {TIGRIS_OP_DIV, TIGRIS_OP_MOD, TIGRIS_OP_ADD};
  static const int32_t expected[3][4] = {
      {INT32_MIN, 0, 0, INT32_MAX}, {0, 0, 0, 0}, {INT32_MAX, INT32_MIN, 7, INT32_MIN}};
  tigris_binary_params p;
  int k;
  int i;
  memset(&p, 0, sizeof p);
  for (k = 0; k < 3; ++k) {
    Builder b;
    OneOp run;
    int in[2];
    int out;
    builderInit(&b, TIGRIS_IO_ARENA);
    in[0] = builderTensor(&b, TIGRIS_S32, 1, dims, TIGRIS_NONE);
    in[1] = builderTensor(&b, TIGRIS_S32, 1, dims, TIGRIS_NONE);
    out = builderTensor(&b, TIGRIS_S32, 1, dims, TIGRIS_NONE);
    builderInput(&b, in[0]);
    builderInput(&b, in[1]);
    builderOutput(&b, out);
    builderOp(&b, opcodes[k], 2, in, out, &p, sizeof p);
    if (!oneOpOpen(&run, &b))
      return;
    memcpy(tigris_input(&run.ctx, 0), a, sizeof a);
    memcpy(tigris_input(&run.ctx, 1), d, sizeof d);
    runWhole(&run);
    for (i = 0; i < 4; ++i)
      CHECK_EQ(((const int32_t*)tigris_output(&run.ctx, 0))[i], expected[k][i]);
    builderFree(&b);
  }
}

static void testCast(uint8_t from, uint8_t to) {
  Case c;
  int in;
  int out;
  int32_t i;
  randomDims(&c);
  builderInit(&c.b, TIGRIS_IO_ARENA);
  in = builderTensor(&c.b, from, (uint8_t)c.rank, c.dims, TIGRIS_NONE);
  out = builderTensor(&c.b, to, (uint8_t)c.rank, c.dims, TIGRIS_NONE);
  builderInput(&c.b, in);
  builderOutput(&c.b, out);
  builderOp(&c.b, TIGRIS_OP_CAST, 1, &in, out, NULL, 0);
  if (!oneOpOpen(&c.run, &c.b))
    return;
  fill(tigris_input(&c.run.ctx, 0), from, elementsOf(c.rank, c.dims));
  runWhole(&c.run);
  for (i = 0; i < elementsOf(c.rank, c.dims); ++i) {
    const double x = load(tigris_input(&c.run.ctx, 0), from, i);
    const double expected = to == TIGRIS_BOOL ? x != 0 : (to == TIGRIS_F32 ? x : trunc(x));
    CHECK(load(tigris_output(&c.run.ctx, 0), to, i) == expected);
  }
  builderFree(&c.b);
}

/* Small integers are counted from their zero point, in both directions, and wrap around. */
static void testCastSmall(uint8_t small, int32_t zero) {
  const int32_t dims[1] = {5};
  const float values[5] = {0.0f, 1.9f, -1.9f, 200.0f, 70000.0f};
  const int bits = small == TIGRIS_S8 ? 8 : 16;
  Builder b;
  OneOp run;
  int in;
  int middle;
  int out[3];
  int i;
  builderInit(&b, TIGRIS_IO_ARENA);
  in = builderTensor(&b, TIGRIS_F32, 1, dims, TIGRIS_NONE);
  middle = builderTensor(&b, small, 1, dims, builderQuant(&b, 1.0f, zero));
  out[0] = builderTensor(&b, TIGRIS_F32, 1, dims, TIGRIS_NONE);
  out[1] = builderTensor(&b, TIGRIS_S64, 1, dims, TIGRIS_NONE);
  out[2] = builderTensor(&b, TIGRIS_BOOL, 1, dims, TIGRIS_NONE);
  builderInput(&b, in);
  for (i = 0; i < 3; ++i)
    builderOutput(&b, out[i]);
  builderOp(&b, TIGRIS_OP_CAST, 1, &in, middle, NULL, 0);
  for (i = 0; i < 3; ++i)
    builderOp(&b, TIGRIS_OP_CAST, 1, &middle, out[i], NULL, 0);
  if (!oneOpOpen(&run, &b))
    return;
  memcpy(tigris_input(&run.ctx, 0), values, sizeof values);
  CHECK_EQ(tigris_run(&run.ctx), TIGRIS_OK);
  for (i = 0; i < 5; ++i) {
    const int64_t least = -((int64_t)1 << (bits - 1)) - zero;
    int64_t want = (int64_t)values[i];
    while (want >= least + ((int64_t)1 << bits))
      want -= (int64_t)1 << bits;
    while (want < least)
      want += (int64_t)1 << bits;
    CHECK(load(tigris_output(&run.ctx, 0), TIGRIS_F32, i) == (double)want);
    CHECK(load(tigris_output(&run.ctx, 1), TIGRIS_S64, i) == (double)want);
    CHECK(load(tigris_output(&run.ctx, 2), TIGRIS_BOOL, i) == (want != 0));
  }
  builderFree(&b);
}

/* Floats outside the integer range saturate. */
static void testCastEdges(void) {
  const float values[5] = {3e9f, -3e9f, 1e19f, -1e19f, NAN};
  const int32_t dims[1] = {5};
  Builder b;
  OneOp run;
  int in;
  int out[2];
  int i;
  static const int32_t narrow[5] = {INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN, 0};
  static const int64_t wide[5] = {3000000000, -3000000000, INT64_MAX, INT64_MIN, 0};
  builderInit(&b, TIGRIS_IO_ARENA);
  in = builderTensor(&b, TIGRIS_F32, 1, dims, TIGRIS_NONE);
  out[0] = builderTensor(&b, TIGRIS_S32, 1, dims, TIGRIS_NONE);
  out[1] = builderTensor(&b, TIGRIS_S64, 1, dims, TIGRIS_NONE);
  builderInput(&b, in);
  builderOutput(&b, out[0]);
  builderOutput(&b, out[1]);
  builderOp(&b, TIGRIS_OP_CAST, 1, &in, out[0], NULL, 0);
  builderOp(&b, TIGRIS_OP_CAST, 1, &in, out[1], NULL, 0);
  if (!oneOpOpen(&run, &b))
    return;
  memcpy(tigris_input(&run.ctx, 0), values, sizeof values);
  runWhole(&run);
  for (i = 0; i < 5; ++i) {
    int64_t got;
    memcpy(&got, (const uint8_t*)tigris_output(&run.ctx, 1) + (size_t)i * 8, 8);
    CHECK_EQ(((const int32_t*)tigris_output(&run.ctx, 0))[i], narrow[i]);
    CHECK(got == wide[i]);
  }
  builderFree(&b);
}

int main(void) {
  static const uint16_t arithmetic[] = {TIGRIS_OP_ADD, TIGRIS_OP_SUB,     TIGRIS_OP_MUL,
                                        TIGRIS_OP_DIV, TIGRIS_OP_MAXIMUM, TIGRIS_OP_MINIMUM,
                                        TIGRIS_OP_MOD, TIGRIS_OP_FMOD};
  uint32_t round;
  uint32_t i;
  uint32_t k;
  for (round = 0; round < 30; ++round) {
    for (i = 0; i < sizeof numbers; ++i) {
      testCompare(TIGRIS_OP_EQUAL, numbers[i]);
      testWhere(numbers[i]);
      for (k = 0; k < sizeof numbers; ++k)
        testCast(numbers[i], numbers[k]);
    }
    for (i = 0; i < 3; ++i) {
      testCompare(TIGRIS_OP_LESS, numbers[i]);
      testCompare(TIGRIS_OP_LESS_EQUAL, numbers[i]);
      testCompare((uint16_t)(TIGRIS_OP_AND + i), TIGRIS_BOOL);
    }
    for (i = 0; i < sizeof arithmetic / sizeof arithmetic[0]; ++i) {
      testInteger(arithmetic[i], TIGRIS_S32);
      testInteger(arithmetic[i], TIGRIS_S64);
    }
  }
  testIntegerEdges();
  testCastEdges();
  testCastSmall(TIGRIS_S8, 0);
  testCastSmall(TIGRIS_S8, -128);
  testCastSmall(TIGRIS_S16, 0);
  testCastSmall(TIGRIS_S16, -32768);
  checkTileCounts();
  checkInPlaceCounts();
  return finish();
}
