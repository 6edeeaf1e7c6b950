/* Searches, running sums and indexing against naive references. */
#include "number_case.h"

#define LIMIT 4096

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
  const int agree = randomInt(0, 2) != 0; /* the operands, on all axes but one: they can be cut */
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
    c.inDims[1][k] = c.inDims[2][k] = k == axis ? randomInt(1, scatters ? c.dims[k] : 7)
                                                : randomInt(agree ? c.dims[k] : 1, c.dims[k]);
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
  uint32_t round;
  for (round = 0; round < 30; ++round) {
    testArgMax(TIGRIS_OP_ARG_MAX);
    testArgMax(TIGRIS_OP_ARG_MIN);
    testTopK();
    testCumSum();
    testByElement(0);
    testByElement(1);
    testNd(0);
    testNd(1);
  }
  checkTileCounts();
  return finish();
}
