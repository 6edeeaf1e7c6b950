/* Integers, bools, comparisons, conversions, searches and indexing against naive references.
 *
 * Over 500 lines: each operator has a reference, and a program has one set of helpers. */
#include <math.h>

#include "one_op.h"

#define LIMIT 4096
#define MOST_RANK 4

static const uint8_t numbers[] = {TIGRIS_F32, TIGRIS_S32, TIGRIS_S64, TIGRIS_BOOL};

/* Elements as doubles: all values of these tests are exact in double. */
static double load(const void* data, uint8_t dtype, int32_t i) {
  switch (dtype) {
  case TIGRIS_F32:
    return (double)((const float*)data)[i];
  case TIGRIS_S32:
    return ((const int32_t*)data)[i];
  case TIGRIS_S64: {
    int64_t wide;
    memcpy(&wide, (const uint8_t*)data + (size_t)i * 8, 8);
    return (double)wide;
  }
  case TIGRIS_S8:
    return ((const int8_t*)data)[i];
  default:
    return ((const uint8_t*)data)[i];
  }
}

static void store(void* data, uint8_t dtype, int32_t i, double value) {
  const int64_t wide = (int64_t)value;
  switch (dtype) {
  case TIGRIS_F32:
    ((float*)data)[i] = (float)value;
    break;
  case TIGRIS_S32:
    ((int32_t*)data)[i] = (int32_t)wide;
    break;
  case TIGRIS_S64:
    memcpy((uint8_t*)data + (size_t)i * 8, &wide, 8);
    break;
  case TIGRIS_S8:
    ((int8_t*)data)[i] = (int8_t)wide;
    break;
  default:
    ((uint8_t*)data)[i] = wide != 0;
    break;
  }
}

static int32_t elementsOf(int rank, const int32_t* dims) {
  int32_t n = 1;
  int i;
  for (i = 0; i < rank; ++i)
    n *= dims[i];
  return n;
}

static void decode(int rank, const int32_t* dims, int32_t flat, int32_t* index) {
  for (; rank-- > 0; flat /= dims[rank])
    index[rank] = flat % dims[rank];
}

static int32_t encode(int rank, const int32_t* dims, const int32_t* index) {
  int32_t flat = 0;
  int i;
  for (i = 0; i < rank; ++i)
    flat = flat * dims[i] + index[i];
  return flat;
}

/* Element of an operand with broadcasting; its axes are the last ones of the output. */
static int32_t broadcastAt(int rank, const int32_t* index, int inRank, const int32_t* inDims) {
  int32_t own[MOST_RANK];
  int i;
  for (i = 0; i < inRank; ++i)
    own[i] = inDims[i] == 1 ? 0 : index[rank - inRank + i];
  return encode(inRank, inDims, own);
}

/* Small numbers with many duplicates; some large ones where they fit. */
static void fill(void* data, uint8_t dtype, int32_t n) {
  int32_t i;
  for (i = 0; i < n; ++i) {
    double v = randomInt(-4, 4);
    if (dtype == TIGRIS_F32 && randomInt(0, 2) == 0)
      v += 0.5;
    if (dtype == TIGRIS_BOOL)
      v = randomInt(0, 1);
    store(data, dtype, i, v);
  }
}

/* A model of one op whose operands, with broadcast shapes, are all inputs. */
typedef struct Case {
  Builder b;
  OneOp run;
  int rank;
  int32_t dims[MOST_RANK];
  int inRank[3];
  int32_t inDims[3][MOST_RANK];
} Case;

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

static void randomDims(Case* c) {
  int i;
  c->rank = randomInt(1, MOST_RANK);
  for (i = 0; i < c->rank; ++i)
    c->dims[i] = randomInt(1, 6);
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

static uint8_t anyNumber(void) {
  static const uint8_t types[4] = {TIGRIS_F32, TIGRIS_S8, TIGRIS_S32, TIGRIS_S64};
  return types[randomInt(0, 3)];
}

/* Opens an op of one input and up to two outputs; `yDims` are the outputs'. */
static int openSearch(Case* c, uint16_t opcode, uint8_t dtype, int yRank, const int32_t* yDims,
                      const uint8_t* outTypes, int outputs, const tigris_search_params* p) {
  int in;
  int out[2];
  int k;
  builderInit(&c->b, TIGRIS_IO_ARENA);
  in = builderTensor(&c->b, dtype, (uint8_t)c->rank, c->dims, TIGRIS_NONE);
  builderInput(&c->b, in);
  for (k = 0; k < outputs; ++k) {
    out[k] = builderTensor(&c->b, outTypes[k], (uint8_t)yRank, yDims, TIGRIS_NONE);
    builderOutput(&c->b, out[k]);
  }
  builderOpOutputs(&c->b, opcode, 1, &in, outputs, out, p, sizeof *p);
  if (!oneOpOpen(&c->run, &c->b))
    return 0;
  fill(tigris_input(&c->run.ctx, 0), dtype, elementsOf(c->rank, c->dims));
  runWhole(&c->run);
  return 1;
}

static void testArgMax(uint16_t opcode) {
  const uint8_t dtype = anyNumber();
  const uint8_t outType = TIGRIS_S64;
  tigris_search_params p;
  int32_t yDims[MOST_RANK];
  Case c;
  int32_t i;
  randomDims(&c);
  p.axis = randomInt(0, c.rank - 1);
  p.flags = randomInt(0, 1) ? TIGRIS_SEARCH_LAST : 0;
  memcpy(yDims, c.dims, sizeof yDims);
  yDims[p.axis] = 1;
  if (!openSearch(&c, opcode, dtype, c.rank, yDims, &outType, 1, &p))
    return;
  for (i = 0; i < elementsOf(c.rank, yDims); ++i) {
    int32_t index[MOST_RANK];
    double best = 0;
    int expected = 0;
    int k;
    decode(c.rank, yDims, i, index);
    for (k = 0; k < c.dims[p.axis]; ++k) {
      double v;
      index[p.axis] = k;
      v = load(tigris_input(&c.run.ctx, 0), dtype, encode(c.rank, c.dims, index));
      if (opcode == TIGRIS_OP_ARG_MIN)
        v = -v;
      if (k == 0 || v > best || (v == best && p.flags != 0)) {
        best = v;
        expected = k;
      }
    }
    CHECK_EQ(load(tigris_output(&c.run.ctx, 0), TIGRIS_S64, i), expected);
  }
  builderFree(&c.b);
}

static void testTopK(void) {
  const uint8_t dtype = anyNumber();
  const uint8_t outTypes[2] = {dtype, TIGRIS_S64};
  tigris_search_params p;
  int32_t yDims[MOST_RANK];
  Case c;
  int32_t i;
  randomDims(&c);
  p.axis = randomInt(0, c.rank - 1);
  p.flags = randomInt(0, 1) ? TIGRIS_SEARCH_LARGEST : 0;
  memcpy(yDims, c.dims, sizeof yDims);
  yDims[p.axis] = randomInt(1, c.dims[p.axis]);
  if (!openSearch(&c, TIGRIS_OP_TOP_K, dtype, c.rank, yDims, outTypes, 2, &p))
    return;
  for (i = 0; i < elementsOf(c.rank, yDims); ++i) {
    const double value = load(tigris_output(&c.run.ctx, 0), dtype, i);
    const int at = (int)load(tigris_output(&c.run.ctx, 1), TIGRIS_S64, i);
    int32_t index[MOST_RANK];
    int place;
    int before = 0; /* elements that come first */
    int k;
    decode(c.rank, yDims, i, index);
    place = index[p.axis];
    for (k = 0; k < c.dims[p.axis]; ++k) {
      double v;
      index[p.axis] = k;
      v = load(tigris_input(&c.run.ctx, 0), dtype, encode(c.rank, c.dims, index));
      if (k == at)
        CHECK(v == value);
      before += (p.flags != 0 ? v > value : v < value) || (v == value && k < at);
    }
    CHECK_EQ(before, place);
  }
  builderFree(&c.b);
}

static void testCumSum(void) {
  static const uint8_t types[3] = {TIGRIS_F32, TIGRIS_S32, TIGRIS_S64};
  const uint8_t dtype = types[randomInt(0, 2)];
  tigris_search_params p;
  Case c;
  int32_t i;
  randomDims(&c);
  p.axis = randomInt(0, c.rank - 1);
  p.flags = (randomInt(0, 1) ? TIGRIS_CUM_SUM_EXCLUSIVE : 0) |
            (randomInt(0, 1) ? TIGRIS_CUM_SUM_REVERSE : 0);
  if (!openSearch(&c, TIGRIS_OP_CUM_SUM, dtype, c.rank, c.dims, &dtype, 1, &p))
    return;
  for (i = 0; i < elementsOf(c.rank, c.dims); ++i) {
    int32_t index[MOST_RANK];
    double sum = 0;
    int own;
    int k;
    decode(c.rank, c.dims, i, index);
    own = index[p.axis];
    for (k = 0; k < c.dims[p.axis]; ++k) {
      const int taken = p.flags & TIGRIS_CUM_SUM_REVERSE ? k > own : k < own;
      index[p.axis] = k;
      if (taken || (k == own && (p.flags & TIGRIS_CUM_SUM_EXCLUSIVE) == 0))
        sum += load(tigris_input(&c.run.ctx, 0), dtype, encode(c.rank, c.dims, index));
    }
    CHECK(load(tigris_output(&c.run.ctx, 0), dtype, i) == sum);
  }
  builderFree(&c.b);
}

/* x, indices and, for scattering, updates. */
static int openIndexed(Case* c, uint16_t opcode, const uint8_t* dtypes, int inputs, int outRank,
                       const int32_t* outDims, int32_t axis) {
  tigris_axis_params p;
  int in[3];
  int out;
  int k;
  p.axis = axis;
  builderInit(&c->b, TIGRIS_IO_ARENA);
  for (k = 0; k < inputs; ++k) {
    in[k] = builderTensor(&c->b, dtypes[k], (uint8_t)c->inRank[k], c->inDims[k], TIGRIS_NONE);
    builderInput(&c->b, in[k]);
  }
  out = builderTensor(&c->b, dtypes[0], (uint8_t)outRank, outDims, TIGRIS_NONE);
  builderOutput(&c->b, out);
  builderOp(&c->b, opcode, inputs, in, out, &p, sizeof p);
  if (!oneOpOpen(&c->run, &c->b))
    return 0;
  for (k = 0; k < inputs; ++k)
    fill(tigris_input(&c->run.ctx, (unsigned)k), dtypes[k], elementsOf(c->inRank[k], c->inDims[k]));
  return 1;
}

static int32_t positionOf(Case* c, uint8_t dtype, int32_t i, int32_t size) {
  const int32_t at = (int32_t)load(tigris_input(&c->run.ctx, 1), dtype, i);
  return at < 0 ? at + size : at;
}

static void setPosition(Case* c, uint8_t dtype, int32_t i, int32_t size) {
  store(tigris_input(&c->run.ctx, 1), dtype, i, randomInt(-size, size - 1));
}

static void testByElement(int scatters) {
  const uint8_t type = anyNumber();
  const uint8_t index = randomInt(0, 1) ? TIGRIS_S32 : TIGRIS_S64;
  const uint8_t dtypes[3] = {type, index, type};
  double* expected = NULL;
  Case c;
  int32_t axis;
  int32_t i;
  int32_t n;
  int k;
  randomDims(&c);
  axis = randomInt(0, c.rank - 1);
  for (k = 0; k < 3; ++k) {
    c.inRank[k] = c.rank;
    memcpy(c.inDims[k], c.dims, sizeof c.dims);
  }
  for (k = 0; k < c.rank; ++k)
    c.inDims[1][k] = c.inDims[2][k] =
        k == axis ? randomInt(1, scatters ? c.dims[k] : 7) : randomInt(1, c.dims[k]);
  if (!openIndexed(&c, scatters ? TIGRIS_OP_SCATTER_ELEMENTS : TIGRIS_OP_GATHER_ELEMENTS, dtypes,
                   scatters ? 3 : 2, c.rank, c.inDims[scatters ? 0 : 1], axis))
    return;
  n = elementsOf(c.rank, c.inDims[1]);
  for (i = 0; i < n; ++i)
    setPosition(&c, index, i, c.dims[axis]);
  expected = (double*)exactly(sizeof(double) * LIMIT);
  for (i = 0; i < elementsOf(c.rank, c.dims); ++i)
    expected[i] = load(tigris_input(&c.run.ctx, 0), type, i);
  for (i = 0; i < n; ++i) {
    int32_t at[MOST_RANK];
    decode(c.rank, c.inDims[1], i, at);
    at[axis] = positionOf(&c, index, i, c.dims[axis]);
    if (scatters)
      expected[encode(c.rank, c.dims, at)] = load(tigris_input(&c.run.ctx, 2), type, i);
  }
  runWhole(&c.run);
  for (i = 0; i < (scatters ? elementsOf(c.rank, c.dims) : n); ++i) {
    int32_t at[MOST_RANK];
    if (!scatters) {
      decode(c.rank, c.inDims[1], i, at);
      at[axis] = positionOf(&c, index, i, c.dims[axis]);
    }
    CHECK(load(tigris_output(&c.run.ctx, 0), type, i) ==
          expected[scatters ? i : encode(c.rank, c.dims, at)]);
  }
  store(tigris_input(&c.run.ctx, 1), index, n - 1, c.dims[axis]);
  CHECK_EQ(tigris_run(&c.run.ctx), TIGRIS_E_INDEX);
  release(expected);
  builderFree(&c.b);
}

static void testNd(int scatters) {
  const uint8_t type = anyNumber();
  const uint8_t index = randomInt(0, 1) ? TIGRIS_S32 : TIGRIS_S64;
  const uint8_t dtypes[3] = {type, index, type};
  double expected[LIMIT];
  int32_t partDims[2 * MOST_RANK];
  int partRank = 0;
  int32_t block;
  int32_t tuples;
  Case c;
  int batch;
  int depth;
  int lead;
  int32_t i;
  int32_t e;
  int k;
  randomDims(&c);
  batch = scatters ? 0 : randomInt(0, c.rank - 1);
  depth = randomInt(1, c.rank - batch);
  lead = batch + randomInt(0, 1);
  if (lead + 1 > MOST_RANK)
    return;
  c.inRank[0] = c.rank;
  memcpy(c.inDims[0], c.dims, sizeof c.dims);
  c.inRank[1] = lead + 1;
  for (k = 0; k < lead; ++k)
    c.inDims[1][k] = partDims[partRank++] = k < batch ? c.dims[k] : randomInt(1, 4);
  c.inDims[1][lead] = depth;
  for (k = batch + depth; k < c.rank; ++k)
    partDims[partRank++] = c.dims[k];
  if (partRank > MOST_RANK)
    return;
  c.inRank[2] = partRank;
  memcpy(c.inDims[2], partDims, sizeof(int32_t) * MOST_RANK);
  if (!openIndexed(&c, scatters ? TIGRIS_OP_SCATTER_ND : TIGRIS_OP_GATHER_ND, dtypes,
                   scatters ? 3 : 2, scatters ? c.rank : partRank, scatters ? c.dims : partDims,
                   batch))
    return;
  tuples = elementsOf(lead, c.inDims[1]);
  for (i = 0; i < tuples * depth; ++i)
    setPosition(&c, index, i, c.dims[batch + i % depth]);
  block = elementsOf(c.rank - batch - depth, c.dims + batch + depth);
  for (i = 0; i < elementsOf(c.rank, c.dims); ++i)
    expected[i] = load(tigris_input(&c.run.ctx, 0), type, i);
  runWhole(&c.run);
  for (i = 0; i < tuples; ++i) {
    int32_t at[MOST_RANK];
    int32_t from;
    decode(lead, c.inDims[1], i, at); /* its first axes are the batch's */
    for (k = 0; k < depth; ++k)
      at[batch + k] = positionOf(&c, index, i * depth + k, c.dims[batch + k]);
    from = encode(batch + depth, c.dims, at) * block;
    for (e = 0; e < block; ++e) {
      if (scatters)
        expected[from + e] = load(tigris_input(&c.run.ctx, 2), type, i * block + e);
      else
        CHECK(load(tigris_output(&c.run.ctx, 0), type, i * block + e) == expected[from + e]);
    }
  }
  for (i = 0; scatters && i < elementsOf(c.rank, c.dims); ++i)
    CHECK(load(tigris_output(&c.run.ctx, 0), type, i) == expected[i]);
  store(tigris_input(&c.run.ctx, 1), index, 0, -c.dims[batch] - 1);
  CHECK_EQ(tigris_run(&c.run.ctx), TIGRIS_E_INDEX);
  builderFree(&c.b);
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
    testArgMax(TIGRIS_OP_ARG_MAX);
    testArgMax(TIGRIS_OP_ARG_MIN);
    testTopK();
    testCumSum();
    testByElement(0);
    testByElement(1);
    testNd(0);
    testNd(1);
  }
  testIntegerEdges();
  testCastEdges();
  testCastSmall(TIGRIS_S8, 0);
  testCastSmall(TIGRIS_S8, -128);
  testCastSmall(TIGRIS_S16, 0);
  testCastSmall(TIGRIS_S16, -32768);
  checkTileCounts();
  return finish();
}
