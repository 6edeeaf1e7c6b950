/* A minimal test framework: CHECK counts failures and finish() prints the result; also random
 * numbers. */
#ifndef TIGRIS_TEST_CHECK_H
#define TIGRIS_TEST_CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checkCount;
static int failureCount;

#define CHECK(condition) checkThat((condition) != 0, #condition, __FILE__, __LINE__)
#define CHECK_EQ(actual, expected)                                                                 \
  checkEqual((long long)(actual), (long long)(expected), #actual, __FILE__, __LINE__)

static inline int checkThat(int ok, const char* what, const char* file, int line) {
  ++checkCount;
  if (!ok && ++failureCount <= 20)
    printf("%s:%d: failed: %s\n", file, line, what);
  return ok;
}

static inline int checkEqual(long long actual, long long expected, const char* what,
                             const char* file, int line) {
  ++checkCount;
  if (actual != expected && ++failureCount <= 20)
    printf("%s:%d: failed: %s is %lld, expected %lld\n", file, line, what, actual, expected);
  return actual == expected;
}

static inline int finish(void) {
  printf("%d checks, %d failed\n", checkCount, failureCount);
  return failureCount == 0 ? 0 : 1;
}

/* xorshift32: the same sequence everywhere. */
static uint32_t randomState = 2463534242u;

static inline uint32_t randomBits(void) {
  randomState ^= randomState << 13;
  randomState ^= randomState >> 17;
  randomState ^= randomState << 5;
  return randomState;
}

/* In the range [lo, hi]. */
static inline int32_t randomInt(int32_t lo, int32_t hi) {
  return lo + (int32_t)(randomBits() % (uint32_t)(hi - lo + 1));
}

static inline float randomFloat(float lo, float hi) {
  return lo + (hi - lo) * (float)(randomBits() >> 8) / 16777216.0f;
}

static inline void randomFloats(float* out, size_t n) {
  size_t i;
  for (i = 0; i < n; ++i)
    out[i] = randomFloat(-1.0f, 1.0f);
}

static inline void randomBytes(int8_t* out, size_t n) {
  size_t i;
  for (i = 0; i < n; ++i)
    out[i] = (int8_t)(randomBits() & 255u);
}

enum { MOVES = sizeof(void*) < 8, FENCE = 16 }; /* FENCE: bytes after a block */

/* malloc that never fails and aligns to 16. If the C library aligns to 16, a sanitizer detects
 * every access outside [0, size); otherwise release() checks the bytes after the block. */
static inline void* exactly(size_t size) {
  /* before a block that was moved for alignment: its size and the pointer to free */
  uint8_t* p = (uint8_t*)malloc(MOVES ? size + 64 : (size == 0 ? 1 : size));
  if (p == NULL) {
    printf("out of memory: %lu\n", (unsigned long)size);
    exit(2);
  }
  if (MOVES) {
    uint8_t* at = p + 16 + (16 - (uintptr_t)p % 16) % 16;
    memcpy(at - sizeof p, &p, sizeof p);
    memcpy(at - sizeof p - sizeof size, &size, sizeof size);
    memset(at + size, 0xFE, FENCE);
    return at;
  }
  return p;
}

static inline void release(void* block) {
  uint8_t* p = (uint8_t*)block;
  if (MOVES) {
    size_t size;
    uint32_t i;
    memcpy(&size, p - sizeof p - sizeof size, sizeof size);
    for (i = 0; i < FENCE; ++i)
      CHECK_EQ(p[size + i], 0xFE);
    memcpy(&p, p - sizeof p, sizeof p);
  }
  free(p);
}

#endif /* TIGRIS_TEST_CHECK_H */
