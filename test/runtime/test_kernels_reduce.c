/* Reductions against naive references, whole and in tiles. */
#include <math.h>

#include "elements.h"
#include "one_op.h"

static double reduceStep(uint32_t kind, double acc, double v) {
  switch (kind) {
  case TIGRIS_REDUCE_MAX:
    return v > acc ? v : acc;
  case TIGRIS_REDUCE_MIN:
    return v < acc ? v : acc;
  case TIGRIS_REDUCE_PROD:
    return acc * v;
  case TIGRIS_REDUCE_L1:
    return acc + fabs(v);
  case TIGRIS_REDUCE_L2:
  case TIGRIS_REDUCE_SUM_SQUARE:
    return acc + v * v;
  case TIGRIS_REDUCE_LOG_SUM_EXP:
    return acc + exp(v);
  default:
    return acc + v;
  }
}

static double reduceEnd(uint32_t kind, double acc, int32_t count) {
  switch (kind) {
  case TIGRIS_REDUCE_MEAN:
    return acc / count;
  case TIGRIS_REDUCE_L2:
    return sqrt(acc);
  case TIGRIS_REDUCE_LOG_SUM:
  case TIGRIS_REDUCE_LOG_SUM_EXP:
    return log(acc);
  default:
    return acc;
  }
}

static void testReduce(uint32_t kind, uint8_t dtype) {
  const int isFloat = dtype == TIGRIS_F32;
  const int rank = randomInt(1, 5);
  const int keep = randomInt(0, 1);
  const int32_t multiplier = randomInt(1 << 30, INT32_MAX - 1);
  const int32_t shift = -randomInt(0, 4);
  int32_t xd[5];
  int32_t kept[5];
  int32_t yd[5];
  int yr = 0;
  tigris_reduce_params p;
  Builder b;
  OneOp run;
  int in;
  int out;
  int32_t count = 1;
  int32_t i;
  int32_t k;
  memset(&p, 0, sizeof p);
  p.kind = kind;
  p.axes = 1 + randomBits() % ((1u << rank) - 1u);
  for (k = 0; k < rank; ++k) {
    const int reduced = (int)((p.axes >> k) & 1u);
    xd[k] = randomInt(1, k == rank - 1 ? 40 : 4);
    kept[k] = reduced ? 1 : xd[k];
    count *= reduced ? xd[k] : 1;
    if (!reduced || keep)
      yd[yr++] = kept[k];
  }
  builderInit(&b, TIGRIS_IO_ARENA);
  p.requant = TIGRIS_NONE;
  if (!isFloat && kind == TIGRIS_REDUCE_MEAN) {
    p.requant = builderRequant(&b, &multiplier, &shift, 1);
    p.requant_count = 1;
  }
  in = builderTensor(&b, dtype, (uint8_t)rank, xd, isFloat ? TIGRIS_NONE : builderQuant(&b, 1, 9));
  out = builderTensor(&b, dtype, (uint8_t)yr, yd, isFloat ? TIGRIS_NONE : builderQuant(&b, 1, -4));
  builderInput(&b, in);
  builderOutput(&b, out);
  builderOp(&b, TIGRIS_OP_REDUCE, 1, &in, out, &p, sizeof p);
  if (!oneOpOpen(&run, &b))
    return;
  if (!isFloat)
    fillBytes(tigris_input(&run.ctx, 0), builderBytesOf(&b, in));
  for (i = 0; isFloat && i < elementsOf(rank, xd); ++i)
    ((float*)tigris_input(&run.ctx, 0))[i] =
        kind == TIGRIS_REDUCE_LOG_SUM || kind == TIGRIS_REDUCE_PROD ? randomFloat(0.5f, 1.4f)
                                                                    : randomFloat(-2.0f, 2.0f);
  runWhole(&run);
  for (i = 0; i < elementsOf(rank, kept); ++i) {
    double acc = kind == TIGRIS_REDUCE_MAX   ? -1e30
                 : kind == TIGRIS_REDUCE_MIN ? 1e30
                                             : (kind == TIGRIS_REDUCE_PROD ? 1 : 0);
    for (k = 0; k < elementsOf(rank, xd); ++k) {
      int32_t index[5];
      int a;
      decode(rank, xd, k, index);
      for (a = 0; a < rank; ++a)
        index[a] = kept[a] == 1 ? 0 : index[a];
      if (encode(rank, kept, index) == i)
        acc = reduceStep(kind, acc,
                         isFloat ? (double)((float*)tigris_input(&run.ctx, 0))[k]
                                 : (double)((int8_t*)tigris_input(&run.ctx, 0))[k]);
    }
    if (isFloat) {
      acc = reduceEnd(kind, acc, count);
      checkClose(((const float*)tigris_output(&run.ctx, 0))[i], acc, fabs(acc) + 10);
    } else if (kind == TIGRIS_REDUCE_MEAN) {
      CHECK_EQ(
          ((const int8_t*)tigris_output(&run.ctx, 0))[i],
          oracleClamp((int64_t)oracleRequantize((int32_t)acc - 9 * count, multiplier, shift) - 4,
                      -128, 127));
    } else {
      CHECK_EQ(((const int8_t*)tigris_output(&run.ctx, 0))[i], (int32_t)acc);
    }
  }
  checkStrips(&run, rowsAll);
  builderFree(&b);
}

int main(void) {
  uint32_t i;
  uint32_t k;
  for (i = 0; i < 120; ++i) {
    for (k = TIGRIS_REDUCE_MEAN; i < 30 && k <= TIGRIS_REDUCE_LOG_SUM_EXP; ++k)
      testReduce(k, TIGRIS_F32);
    testReduce(TIGRIS_REDUCE_MEAN, TIGRIS_S8);
    testReduce(TIGRIS_REDUCE_MAX, TIGRIS_S8);
    testReduce(TIGRIS_REDUCE_MIN, TIGRIS_S8);
  }
  checkTileCounts();
  return finish();
}
