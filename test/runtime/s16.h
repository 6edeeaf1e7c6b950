/* References of int16 kernels. */
#ifndef TIGRIS_TEST_S16_H
#define TIGRIS_TEST_S16_H

#include <math.h>

#include "one_op.h"

/* The product rounded once, ties upward: exact in double up to 53 bits. */
static inline int32_t scaledOnce(int64_t sum, int32_t multiplier, int32_t shift) {
  const double product = (double)sum * multiplier;
  CHECK(fabs(product) < 9007199254740992.0);
  return (int32_t)fmax(fmin(floor(ldexp(product, shift - 31) + 0.5), 1e6), -1e6);
}

/* In 64 bits, split differently than in the kernels: x = high * 2^24 + low. */
static inline int64_t scaledWide(int64_t x, int32_t multiplier, int32_t right) {
  const int64_t high = (x >> 24) * multiplier;
  const int64_t low = (x & 0xFFFFFF) * multiplier + ((int64_t)1 << (right - 1));
  return (high + (low >> 24)) >> (right - 24);
}

static inline void fillS16(int16_t* to, int32_t n, int32_t lo, int32_t hi) {
  int32_t i;
  for (i = 0; i < n; ++i)
    to[i] = (int16_t)randomInt(lo, hi);
}

#endif /* TIGRIS_TEST_S16_H */
