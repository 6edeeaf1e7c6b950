/* Elements of tensors: their number, their position, and random values. */
#ifndef TIGRIS_TEST_ELEMENTS_H
#define TIGRIS_TEST_ELEMENTS_H

#include "check.h"

static inline int32_t elementsOf(int rank, const int32_t* dims) {
  int32_t n = 1;
  int i;
  for (i = 0; i < rank; ++i)
    n *= dims[i];
  return n;
}

static inline int randomShape(int32_t* dims, int32_t most) {
  const int rank = randomInt(1, 5);
  int i;
  for (i = 0; i < rank; ++i)
    dims[i] = randomInt(1, most);
  return rank;
}

/* The index on each axis of element `flat`, and back. */
static inline void decode(int rank, const int32_t* dims, int32_t flat, int32_t* index) {
  for (; rank-- > 0; flat /= dims[rank])
    index[rank] = flat % dims[rank];
}

static inline int32_t encode(int rank, const int32_t* dims, const int32_t* index) {
  int32_t flat = 0;
  int i;
  for (i = 0; i < rank; ++i)
    flat = flat * dims[i] + index[i];
  return flat;
}

/* Values that identify the element in any dtype of at least one byte. */
static inline void fillBytes(void* data, uint32_t bytes) { randomBytes((int8_t*)data, bytes); }

#endif /* TIGRIS_TEST_ELEMENTS_H */
