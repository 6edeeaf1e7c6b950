/* The LZ4 block decoder: random valid blocks, violations of every rule, damaged and truncated
 * blocks. */
#include "check.h"
#include "lz4_block.h"
#include "tigris_format.h"

#include <stddef.h>

#define MOST_BYTES 70000u

static uint8_t block[MOST_BYTES * 2];
static uint8_t plain[MOST_BYTES];
static uint32_t blockSize;
static uint32_t plainSize;

static void putLength(uint32_t length) {
  for (; length >= 255; length -= 255)
    block[blockSize++] = 255;
  block[blockSize++] = (uint8_t)length;
}

/* One sequence; without a match (length 0) it is the last. Writes the decoded bytes to `plain`. */
static void putSequence(uint32_t literals, uint32_t distance, uint32_t match) {
  const uint32_t low = match == 0 ? 0 : match - 4;
  uint32_t i;
  block[blockSize++] = (uint8_t)((literals < 15 ? literals : 15) << 4 | (low < 15 ? low : 15));
  if (literals >= 15)
    putLength(literals - 15);
  for (i = 0; i < literals; ++i)
    block[blockSize++] = plain[plainSize++] = (uint8_t)randomBits();
  if (match == 0)
    return;
  block[blockSize++] = (uint8_t)distance;
  block[blockSize++] = (uint8_t)(distance >> 8);
  if (low >= 15)
    putLength(low - 15);
  for (i = 0; i < match; ++i, ++plainSize)
    plain[plainSize] = plain[plainSize - distance];
}

/* Mostly short, sometimes at limits of the encoding, sometimes long. */
static uint32_t someLength(uint32_t least) {
  static const uint32_t borders[] = {14,  15,  16,  18,  19,  20,  254,
                                     255, 269, 270, 271, 273, 274, 524};
  switch (randomInt(0, 9)) {
  case 0:
    return borders[randomBits() % (sizeof borders / sizeof borders[0])] + least;
  case 1:
    return least + randomBits() % 3000;
  default:
    return least + randomBits() % 20;
  }
}

static void makeBlock(int sequences) {
  blockSize = plainSize = 0;
  while (sequences-- > 0) {
    const uint32_t literals = someLength(plainSize == 0 ? 1 : 0);
    const uint32_t most = plainSize + literals < 65535 ? plainSize + literals : 65535;
    uint32_t distance = 1 + randomBits() % (randomInt(0, 1) ? 8 : most);
    if (distance > most)
      distance = most;
    putSequence(literals, distance, someLength(4));
  }
  putSequence(someLength(12), 0, 0); /* 5 would suffice, but not for a match just before */
}

/* Unpacks from the end of the smallest buffer that suffices to its start. Anything but a valid
 * block may fail or give other bytes, but nothing outside the buffer is accessed. */
static void unpackInPlace(const uint8_t* from, uint32_t size, uint32_t bytes,
                          const uint8_t* expected) {
  const uint32_t least = bytes + TIGRIS_LZ4_MARGIN(size);
  const uint32_t all = size > least ? size : least;
  uint8_t* buffer = (uint8_t*)exactly(all);
  int ok;
  memcpy(buffer + all - size, from, size);
  ok = tigris_lz4_unpack(buffer + all - size, size, buffer, bytes);
  if (expected != NULL)
    CHECK(ok && memcmp(buffer, expected, bytes) == 0);
  release(buffer);
}

/* The result for a copy of exactly `size` bytes, with and without output; both must agree. */
static int unpack(const uint8_t* from, uint32_t size, uint32_t bytes, const uint8_t* expected) {
  uint8_t* in = (uint8_t*)exactly(size);
  uint8_t* out = (uint8_t*)exactly(bytes);
  int ok;
  memcpy(in, from, size);
  ok = tigris_lz4_unpack(in, size, NULL, bytes);
  CHECK_EQ(tigris_lz4_unpack(in, size, out, bytes), ok);
  if (ok && expected != NULL)
    CHECK(memcmp(out, expected, bytes) == 0);
  release(in);
  release(out);
  if (bytes != 0)
    unpackInPlace(from, size, bytes, ok ? expected : NULL);
  return ok;
}

static void testRandomBlocks(void) {
  int round;
  for (round = 0; round < 2000; ++round) {
    makeBlock(randomInt(0, round % 50 == 0 ? 40 : 8));
    CHECK(unpack(block, blockSize, plainSize, plain));
    CHECK(!unpack(block, blockSize, plainSize + 1, NULL));
    CHECK(!unpack(block, blockSize, plainSize - 1, NULL));
    CHECK(!unpack(block, blockSize - 1, plainSize, NULL));
    CHECK(!unpack(block, randomBits() % blockSize, plainSize, NULL));
  }
}

/* The longest distance, and a match of one repeated byte over the whole output. */
static void testExtremes(void) {
  blockSize = plainSize = 0;
  putSequence(65535, 65535, 100);
  putSequence(5, 0, 0);
  CHECK(!unpack(block, blockSize, plainSize - 1, NULL));
  CHECK(unpack(block, blockSize, plainSize, plain));
  blockSize = plainSize = 0;
  putSequence(1, 1, 60000);
  putSequence(5, 0, 0);
  CHECK(blockSize < 260);
  CHECK(unpack(block, blockSize, plainSize, plain));
  blockSize = plainSize = 0;
  putSequence(1, 0, 0);
  CHECK(unpack(block, blockSize, 1, plain));
}

static void testRules(void) {
  static const uint8_t empty[] = {0};
  static const uint8_t noDistance[] = {0x10, 'a', 0, 0, 0xC0, 1,  2,  3, 4,
                                       5,    6,   7, 8, 9,    10, 11, 12};
  static const uint8_t tooFar[] = {0x10, 'a', 2, 0, 0xC0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  static const uint8_t good[] = {0x10, 'a', 1, 0, 0xC0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  static const uint8_t goodPlain[] = {'a', 'a', 'a', 'a', 'a', 1,  2,  3, 4,
                                      5,   6,   7,   8,   9,   10, 11, 12};
  static const uint8_t matchAtEnd[] = {0x1F, 'a', 1, 0, 1};
  static const uint8_t fourLiterals[] = {0x18, 'a', 1, 0, 0x40, 1, 2, 3, 4};
  static const uint8_t fiveLiterals[] = {0x18, 'a', 1, 0, 0x50, 1, 2, 3, 4, 5};
  static const uint8_t lateMatch[] = {0x10, 'a', 1, 0, 0x50, 1, 2, 3, 4, 5};
  static const uint8_t endless[] = {0xF0, 255, 255, 255, 255, 255, 255, 255};
  static const uint8_t cutDistance[] = {0x10, 'a', 1};
  CHECK(!unpack(empty, 0, 0, NULL));
  CHECK(!unpack(empty, 0, 1, NULL));
  CHECK(!unpack(empty, 1, 0, NULL));
  CHECK(!unpack(empty, 1, 1, NULL));
  CHECK(unpack(good, sizeof good, 17, goodPlain));
  CHECK(!unpack(noDistance, sizeof noDistance, 17, NULL));
  CHECK(!unpack(tooFar, sizeof tooFar, 17, NULL));
  CHECK(!unpack(matchAtEnd, sizeof matchAtEnd, 21, NULL));
  CHECK(!unpack(fourLiterals, sizeof fourLiterals, 17, NULL));
  CHECK(unpack(fiveLiterals, sizeof fiveLiterals, 18, NULL));
  CHECK(!unpack(lateMatch, sizeof lateMatch, 10, NULL));
  CHECK(!unpack(endless, sizeof endless, 1000000, NULL));
  CHECK(!unpack(cutDistance, sizeof cutDistance, 17, NULL));
  CHECK(!tigris_lz4_unpack(good, sizeof good, NULL, 0xFFFFFFFFu));
}

/* For all inputs nothing outside the two buffers is accessed (sanitizers detect it), and the check
 * without output gives the same result. */
static void testDamage(void) {
  int round;
  for (round = 0; round < 20000; ++round) {
    int changes = randomInt(1, 4);
    if (round % 20 == 0)
      makeBlock(randomInt(1, 5));
    while (changes-- > 0)
      block[randomBits() % blockSize] =
          (uint8_t)(randomInt(0, 1) ? randomBits() : randomBits() % 2 * 255);
    unpack(block, blockSize, plainSize, NULL);
    unpack(block, blockSize, 1 + randomBits() % plainSize, NULL);
  }
}

int main(void) {
  testRandomBlocks();
  testExtremes();
  testRules();
  testDamage();
  return finish();
}
