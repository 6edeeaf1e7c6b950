/* Ops that move data: concat, slice, pad, transpose, reshape, gather, and resize. */
#include <math.h>

#include "elements.h"
#include "one_op.h"

static uint8_t randomDtype(void) {
  static const uint8_t dtypes[] = {TIGRIS_F32, TIGRIS_S8, TIGRIS_S32, TIGRIS_S64};
  return dtypes[randomBits() % 4];
}

static uint32_t sizeOf(uint8_t dtype) { return tigris_element_size(dtype); }

static int sameElement(const void* a, int32_t i, const void* b, int32_t k, uint32_t size) {
  return memcmp((const uint8_t*)a + (size_t)i * size, (const uint8_t*)b + (size_t)k * size, size) ==
         0;
}

static int start(Builder* b, OneOp* run, uint16_t opcode, int in, int out, const void* params,
                 uint32_t size) {
  builderInput(b, in);
  builderOutput(b, out);
  builderOp(b, opcode, 1, &in, out, params, size);
  if (!oneOpOpen(run, b))
    return 0;
  fillBytes(tigris_input(&run->ctx, 0), builderBytesOf(b, in));
  return runWhole(run);
}

static void testConcat(void) {
  const uint8_t dtype = randomDtype();
  const int rank = randomInt(1, 5);
  const int inputs = randomInt(1, 4);
  int32_t dims[5];
  int32_t yd[5];
  int32_t own[4];
  int in[4];
  int out;
  int32_t i;
  int k;
  tigris_axis_params p;
  Builder b;
  OneOp run;
  for (k = 0; k < rank; ++k)
    dims[k] = randomInt(1, 4);
  dims[0] = rank > 2 ? 1 : dims[0];
  p.axis = randomInt(0, rank - 1);
  memcpy(yd, dims, sizeof dims);
  yd[p.axis] = 0;
  builderInit(&b, TIGRIS_IO_ARENA);
  for (k = 0; k < inputs; ++k) {
    own[k] = randomInt(1, 5);
    dims[p.axis] = own[k];
    yd[p.axis] += own[k];
    in[k] = builderTensor(&b, dtype, (uint8_t)rank, dims, TIGRIS_NONE);
    builderInput(&b, in[k]);
  }
  out = builderTensor(&b, dtype, (uint8_t)rank, yd, TIGRIS_NONE);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_CONCAT, inputs, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  for (k = 0; k < inputs; ++k)
    fillBytes(tigris_input(&run.ctx, (unsigned)k), builderBytesOf(&b, in[k]));
  runWhole(&run);
  for (i = 0; i < elementsOf(rank, yd); ++i) {
    int32_t index[5];
    decode(rank, yd, i, index);
    for (k = 0; index[p.axis] >= own[k]; ++k)
      index[p.axis] -= own[k];
    dims[p.axis] = own[k];
    CHECK(sameElement(tigris_output(&run.ctx, 0), i, tigris_input(&run.ctx, (unsigned)k),
                      encode(rank, dims, index), sizeOf(dtype)));
  }
  if (rank <= 4)
    checkStrips(&run, p.axis > 1 || (rank == 2 && p.axis == 1) ? rowsSame : rowsAll);
  builderFree(&b);
}

static void testSlice(void) {
  const uint8_t dtype = randomDtype();
  const int rank = randomInt(1, 5);
  int32_t xd[5];
  int32_t yd[5];
  int32_t starts[5];
  int32_t steps[5];
  tigris_slice_params p;
  Builder b;
  OneOp run;
  int in;
  int out;
  int32_t i;
  int k;
  for (k = 0; k < rank; ++k) {
    xd[k] = randomInt(1, 6);
    starts[k] = randomInt(0, xd[k] - 1);
    steps[k] = randomInt(1, 3) * (randomInt(0, 1) ? 1 : -1);
    yd[k] = steps[k] > 0 ? (xd[k] - 1 - starts[k]) / steps[k] + 1 : starts[k] / -steps[k] + 1;
  }
  builderInit(&b, TIGRIS_IO_ARENA);
  memset(&p, 0, sizeof p);
  memcpy(p.starts, starts, (size_t)rank * 4);
  memcpy(p.steps, steps, (size_t)rank * 4);
  in = builderTensor(&b, dtype, (uint8_t)rank, xd, TIGRIS_NONE);
  out = builderTensor(&b, dtype, (uint8_t)rank, yd, TIGRIS_NONE);
  if (!start(&b, &run, TIGRIS_OP_SLICE, in, out, &p, sizeof p))
    return;
  for (i = 0; i < elementsOf(rank, yd); ++i) {
    int32_t index[5];
    decode(rank, yd, i, index);
    for (k = 0; k < rank; ++k)
      index[k] = starts[k] + index[k] * steps[k];
    CHECK(sameElement(tigris_output(&run.ctx, 0), i, tigris_input(&run.ctx, 0),
                      encode(rank, xd, index), sizeOf(dtype)));
  }
  checkStrips(&run, rowsAll);
  builderFree(&b);
}

static void testTranspose(void) {
  const uint8_t dtype = randomDtype();
  const int rank = randomInt(1, 5);
  int32_t xd[5];
  int32_t yd[5];
  int32_t perm[5];
  tigris_transpose_params p;
  Builder b;
  OneOp run;
  int in;
  int out;
  int32_t i;
  int k;
  for (k = 0; k < rank; ++k) {
    const int at = randomInt(0, k);
    perm[k] = perm[at];
    perm[at] = k;
    xd[k] = randomInt(1, 6);
  }
  for (k = 0; k < rank; ++k)
    yd[k] = xd[perm[k]];
  builderInit(&b, TIGRIS_IO_ARENA);
  p.perm = builderInts(&b, perm, (uint32_t)rank);
  in = builderTensor(&b, dtype, (uint8_t)rank, xd, TIGRIS_NONE);
  out = builderTensor(&b, dtype, (uint8_t)rank, yd, TIGRIS_NONE);
  if (!start(&b, &run, TIGRIS_OP_TRANSPOSE, in, out, &p, sizeof p))
    return;
  for (i = 0; i < elementsOf(rank, yd); ++i) {
    int32_t index[5];
    int32_t from[5];
    decode(rank, yd, i, index);
    for (k = 0; k < rank; ++k)
      from[perm[k]] = index[k];
    CHECK(sameElement(tigris_output(&run.ctx, 0), i, tigris_input(&run.ctx, 0),
                      encode(rank, xd, from), sizeOf(dtype)));
  }
  checkStrips(&run, rowsAll);
  builderFree(&b);
}

static int32_t padBefore;

static void rowsPad(const OneOp* o, int32_t inRows, int32_t outRow, int32_t* first, int32_t* last) {
  (void)o;
  *first = *last = outRow - padBefore;
  if (*first < 0 || *first >= inRows) {
    *first = inRows;
    *last = -1;
  }
}

static void testPad(uint32_t mode) {
  const uint8_t dtype = randomDtype();
  const int rank = randomInt(0, 5);
  int32_t xd[5];
  int32_t yd[5];
  int32_t before[5];
  const int64_t wide = -77;
  const int32_t narrow = -77;
  const int8_t byte = -77;
  tigris_pad_params p;
  Builder b;
  OneOp run;
  int in;
  int out;
  int32_t i;
  int k;
  for (k = 0; k < rank; ++k) {
    xd[k] = rank > 2 && k == 0 ? 1 : randomInt(1, 5);
    before[k] = rank > 2 && k == 0 ? 0 : (randomInt(0, 1) ? randomInt(0, 3) : 0);
    yd[k] = xd[k] + before[k] + (randomInt(0, 1) && !(rank > 2 && k == 0) ? randomInt(0, 3) : 0);
    if (mode == TIGRIS_PAD_REFLECT && (before[k] >= xd[k] || yd[k] - xd[k] - before[k] >= xd[k])) {
      before[k] = 0;
      yd[k] = xd[k];
    }
  }
  builderInit(&b, TIGRIS_IO_ARENA);
  p.mode = mode;
  p.value.i = narrow;
  memset(p.before, 0, sizeof p.before);
  memcpy(p.before, before, (size_t)rank * 4);
  in = builderTensor(&b, dtype, (uint8_t)rank, xd, TIGRIS_NONE);
  out = builderTensor(&b, dtype, (uint8_t)rank, yd, TIGRIS_NONE);
  if (!start(&b, &run, TIGRIS_OP_PAD, in, out, &p, sizeof p))
    return;
  for (i = 0; i < elementsOf(rank, yd); ++i) {
    int32_t index[5];
    int inside = 1;
    decode(rank, yd, i, index);
    for (k = 0; k < rank; ++k) {
      index[k] -= before[k];
      inside &= index[k] >= 0 && index[k] < xd[k];
      if (mode == TIGRIS_PAD_EDGE)
        index[k] = oracleClamp(index[k], 0, xd[k] - 1);
      if (mode == TIGRIS_PAD_REFLECT) {
        index[k] = index[k] < 0 ? -index[k] : index[k];
        index[k] = index[k] >= xd[k] ? 2 * (xd[k] - 1) - index[k] : index[k];
      }
    }
    if (inside || mode != TIGRIS_PAD_CONSTANT)
      CHECK(sameElement(tigris_output(&run.ctx, 0), i, tigris_input(&run.ctx, 0),
                        encode(rank, xd, index), sizeOf(dtype)));
    else
      CHECK(sameElement(tigris_output(&run.ctx, 0), i,
                        dtype == TIGRIS_S64
                            ? (const void*)&wide
                            : (dtype == TIGRIS_S8 ? (const void*)&byte : (const void*)&narrow),
                        0, sizeOf(dtype)));
  }
  padBefore = rank == 3 || rank == 4 ? before[1] : (rank == 2 ? before[0] : 0);
  checkStrips(&run, mode == TIGRIS_PAD_CONSTANT && rank >= 2 && rank <= 4 ? rowsPad : rowsAll);
  builderFree(&b);
}

static void testReshape(int inPlace) {
  const int32_t xd[3] = {2, 3, 4};
  const int32_t yd[2] = {6, 4};
  Builder b;
  OneOp run;
  int in;
  int out;
  uint8_t before[96];
  builderInit(&b, TIGRIS_IO_ARENA);
  in = builderTensor(&b, TIGRIS_F32, 3, xd, TIGRIS_NONE);
  out = builderTensor(&b, TIGRIS_F32, 2, yd, TIGRIS_NONE);
  if (inPlace)
    b.place[out] = b.place[in];
  if (!start(&b, &run, TIGRIS_OP_RESHAPE, in, out, NULL, 0))
    return;
  memcpy(before, tigris_input(&run.ctx, 0), sizeof before);
  runWhole(&run);
  CHECK(memcmp(before, tigris_output(&run.ctx, 0), sizeof before) == 0);
  builderFree(&b);
}

static void testGather(int wide) {
  const uint8_t dtype = randomDtype();
  const int rank = randomInt(1, 4);
  const int indexRank = randomInt(0, 2);
  int32_t xd[4];
  int32_t id[2];
  int32_t yd[6];
  int64_t picks[16];
  tigris_axis_params p;
  Builder b;
  OneOp run;
  int in[2];
  int out;
  int yr = 0;
  int32_t i;
  int32_t n;
  int k;
  p.axis = randomInt(0, rank - 1);
  for (k = 0; k < indexRank; ++k)
    id[k] = randomInt(1, 3);
  for (k = 0; k < rank; ++k) {
    xd[k] = randomInt(1, 4);
    if (k == p.axis) {
      memcpy(yd + yr, id, sizeof(int32_t) * (size_t)indexRank);
      yr += indexRank;
    } else {
      yd[yr++] = xd[k];
    }
  }
  n = elementsOf(indexRank, id);
  builderInit(&b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(&b, dtype, (uint8_t)rank, xd, TIGRIS_NONE);
  in[1] = builderTensor(&b, wide ? TIGRIS_S64 : TIGRIS_S32, (uint8_t)indexRank, id, TIGRIS_NONE);
  out = builderTensor(&b, dtype, (uint8_t)yr, yd, TIGRIS_NONE);
  builderInput(&b, in[0]);
  builderInput(&b, in[1]);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_GATHER, 2, in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  fillBytes(tigris_input(&run.ctx, 0), builderBytesOf(&b, in[0]));
  for (i = 0; i < n; ++i) {
    picks[i] = randomInt(-xd[p.axis], xd[p.axis] - 1);
    if (wide)
      ((int64_t*)tigris_input(&run.ctx, 1))[i] = picks[i];
    else
      ((int32_t*)tigris_input(&run.ctx, 1))[i] = (int32_t)picks[i];
  }
  runWhole(&run);
  for (i = 0; i < elementsOf(yr, yd); ++i) {
    int32_t index[6];
    int32_t from[4];
    int32_t pick;
    decode(yr, yd, i, index);
    pick = encode(indexRank, id, index + p.axis);
    for (k = 0; k < rank; ++k) {
      if (k != p.axis)
        from[k] = index[k < p.axis ? k : k - 1 + indexRank];
    }
    from[p.axis] = (int32_t)(picks[pick] < 0 ? picks[pick] + xd[p.axis] : picks[pick]);
    CHECK(sameElement(tigris_output(&run.ctx, 0), i, tigris_input(&run.ctx, 0),
                      encode(rank, xd, from), sizeOf(dtype)));
  }
  if (wide)
    ((int64_t*)tigris_input(&run.ctx, 1))[0] = INT64_MIN;
  else
    ((int32_t*)tigris_input(&run.ctx, 1))[0] = xd[p.axis];
  CHECK_EQ(tigris_run(&run.ctx), TIGRIS_E_INDEX);
  CHECK_EQ(run.ctx.error_op, 0);
  builderFree(&b);
}

static int32_t resizeTaps;
static int32_t resizeIndex[64];

static void rowsResize(const OneOp* o, int32_t inRows, int32_t outRow, int32_t* first,
                       int32_t* last) {
  int32_t k;
  (void)o;
  *first = inRows;
  *last = -1;
  for (k = 0; k < resizeTaps; ++k) {
    const int32_t i = resizeIndex[outRow * resizeTaps + k];
    *first = i < *first ? i : *first;
    *last = i > *last ? i : *last;
  }
}

/* Adds the tables of an axis; `index` and `real` are those of all output positions. */
static tigris_resize_axis randomTaps(Builder* b, int32_t taps, int32_t in, int32_t out, int isFloat,
                                     int32_t* index, double* real) {
  const int32_t period = randomInt(1, out);
  tigris_resize_axis axis = {0, 0, 0, 0, 0, 0, 0};
  int32_t first[10];
  int32_t weight[40];
  int32_t i;
  int32_t k;
  for (i = 0; i < period; ++i) {
    int32_t left = 1024;
    first[i] = i == 0 ? randomInt(-3, in) : first[i - 1] + randomInt(0, 2);
    for (k = 0; k < taps; ++k) {
      const int32_t w = k == taps - 1 ? left : randomInt(-100, 400);
      const float f = (float)w / 1024.0f;
      left -= w;
      weight[i * taps + k] = w;
      real[i * taps + k] = (double)w / 1024;
      if (isFloat)
        memcpy(&weight[i * taps + k], &f, 4);
    }
  }
  axis.taps = (uint32_t)taps;
  axis.period = (uint32_t)period;
  axis.advance = (uint32_t)(first[period - 1] - first[0] + randomInt(0, 2));
  axis.first = builderInts(b, first, axis.period);
  axis.weight = builderInts(b, weight, (uint32_t)(period * taps));
  for (i = 0; i < out; ++i) {
    for (k = 0; k < taps; ++k) {
      const int32_t at = first[i % period] + i / period * (int32_t)axis.advance + k;
      index[i * taps + k] = at < 0 ? 0 : at < in ? at : in - 1;
      real[i * taps + k] = real[i % period * taps + k];
    }
  }
  return axis;
}

static void testResize(uint8_t dtype) {
  static const int32_t choices[] = {1, 2, 4};
  const int isFloat = dtype == TIGRIS_F32;
  const int32_t ht = choices[randomInt(0, 2)];
  const int32_t wt = choices[randomInt(0, 2)];
  const int weighted = ht != 1 || wt != 1;
  const int32_t xd[4] = {1, randomInt(1, 5), randomInt(1, 5), randomInt(1, 40)};
  const int32_t yd[4] = {1, randomInt(1, 10), randomInt(1, 10), xd[3]};
  int32_t hi[40];
  int32_t wi[40];
  double hr[40];
  double wr[40];
  tigris_resize_params p;
  Builder b;
  OneOp run;
  int in;
  int out;
  int32_t i;
  builderInit(&b, TIGRIS_IO_ARENA);
  p.h = randomTaps(&b, ht, xd[1], yd[1], isFloat, hi, hr);
  p.w = randomTaps(&b, wt, xd[2], yd[2], isFloat, wi, wr);
  if (!weighted)
    p.h.weight = p.w.weight = TIGRIS_NONE;
  in = builderTensor(&b, dtype, 4, xd, TIGRIS_NONE);
  out = builderTensor(&b, dtype, 4, yd, TIGRIS_NONE);
  builderInput(&b, in);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_RESIZE, 1, &in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  if (isFloat)
    randomFloats((float*)tigris_input(&run.ctx, 0), (size_t)elementsOf(4, xd));
  else
    fillBytes(tigris_input(&run.ctx, 0), (uint32_t)elementsOf(4, xd));
  runWhole(&run);
  for (i = 0; i < elementsOf(4, yd); ++i) {
    int32_t index[4];
    double sum = 0;
    int32_t a;
    int32_t c;
    decode(4, yd, i, index);
    for (a = 0; a < ht; ++a) {
      for (c = 0; c < wt; ++c) {
        const int32_t at =
            (hi[index[1] * ht + a] * xd[2] + wi[index[2] * wt + c]) * xd[3] + index[3];
        sum += hr[index[1] * ht + a] * wr[index[2] * wt + c] *
               (isFloat ? (double)((float*)tigris_input(&run.ctx, 0))[at]
                        : (double)((int8_t*)tigris_input(&run.ctx, 0))[at]);
      }
    }
    if (isFloat)
      checkClose(((const float*)tigris_output(&run.ctx, 0))[i], sum, 1);
    else
      CHECK_EQ(((const int8_t*)tigris_output(&run.ctx, 0))[i],
               oracleClamp((int64_t)(sum > 0 ? floor(sum + 0.5) : -floor(-sum + 0.5)), -128, 127));
  }
  resizeTaps = ht;
  memcpy(resizeIndex, hi, sizeof hi);
  checkStrips(&run, rowsResize);
  builderFree(&b);
}

int main(void) {
  uint32_t i;
  for (i = 0; i < 120; ++i) {
    testConcat();
    testSlice();
    testTranspose();
    testPad(TIGRIS_PAD_CONSTANT);
    testPad(TIGRIS_PAD_EDGE);
    testPad(TIGRIS_PAD_REFLECT);
    testGather((int)(i % 2));
    testResize(TIGRIS_F32);
    testResize(TIGRIS_S8);
  }
  testReshape(0);
  testReshape(1);
  checkTileCounts();
  return finish();
}
