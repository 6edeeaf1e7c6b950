/* Models of one op on numbers of any type. */
#ifndef TIGRIS_TEST_NUMBER_CASE_H
#define TIGRIS_TEST_NUMBER_CASE_H

#include "elements.h"
#include "one_op.h"

#define MOST_RANK 4

/* Elements as doubles: all values of these tests are exact in double. */
static inline double load(const void* data, uint8_t dtype, int32_t i) {
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

static inline void store(void* data, uint8_t dtype, int32_t i, double value) {
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

/* Small numbers with many duplicates; some large ones if they fit. */
static inline void fill(void* data, uint8_t dtype, int32_t n) {
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

/* A model of one op and the shapes of its operands. */
typedef struct Case {
  Builder b;
  OneOp run;
  int rank;
  int32_t dims[MOST_RANK];
  int inRank[3];
  int32_t inDims[3][MOST_RANK];
} Case;

static inline void randomDims(Case* c) {
  int i;
  c->rank = randomInt(1, MOST_RANK);
  for (i = 0; i < c->rank; ++i)
    c->dims[i] = randomInt(1, 6);
}

#endif /* TIGRIS_TEST_NUMBER_CASE_H */
