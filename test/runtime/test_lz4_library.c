/* The LZ4 block decoder and liblz4: it decodes what liblz4 compresses at any level, and accepts
 * nothing that liblz4 rejects. */
#include <lz4.h>
#include <lz4hc.h>

#include "check.h"
#include "lz4_block.h"
#include "tigris_format.h"

#define MOST_BYTES 60000

/* Content of several kinds: noise, few values, runs, repeated pieces, int8 weights around zero. */
static void makeContent(uint8_t* to, int bytes, int kind) {
  int i;
  for (i = 0; i < bytes; ++i) {
    const uint32_t bits = randomBits();
    switch (kind) {
    case 0:
      to[i] = (uint8_t)bits;
      break;
    case 1:
      to[i] = (uint8_t)(bits % 3);
      break;
    case 2:
      to[i] = i > 0 && bits % 50 != 0 ? to[i - 1] : (uint8_t)(bits >> 8);
      break;
    case 3:
      to[i] = i > 700 && bits % 200 != 0 ? to[i - 700] : (uint8_t)(bits >> 8);
      break;
    default:
      to[i] = (uint8_t)((int)(bits >> 8) % 4 + (int)(bits >> 16) % 4 - 3);
      break;
    }
  }
}

/* liblz4 accepts every block that the decoder accepts, with the same output. */
static void compare(const uint8_t* packed, int size, int bytes) {
  uint8_t* in = (uint8_t*)exactly((size_t)size);
  uint8_t* ours = (uint8_t*)exactly((size_t)bytes);
  uint8_t* theirs = (uint8_t*)exactly((size_t)bytes);
  memcpy(in, packed, (size_t)size);
  if (tigris_lz4_unpack(in, (uint32_t)size, ours, (uint32_t)bytes)) {
    CHECK_EQ(LZ4_decompress_safe((const char*)in, (char*)theirs, size, bytes), bytes);
    CHECK(memcmp(ours, theirs, (size_t)bytes) == 0);
  }
  release(in);
  release(ours);
  release(theirs);
}

/* In the smallest buffer, from its end to its start. */
static void unpackInPlace(const uint8_t* packed, uint32_t size, const uint8_t* content,
                          uint32_t bytes) {
  const uint32_t all = bytes + TIGRIS_LZ4_MARGIN(size);
  uint8_t* buffer = (uint8_t*)exactly(all);
  CHECK(size <= all);
  memcpy(buffer + all - size, packed, size);
  CHECK(tigris_lz4_unpack(buffer + all - size, size, buffer, bytes));
  CHECK(memcmp(buffer, content, bytes) == 0);
  release(buffer);
}

int main(void) {
  static uint8_t content[MOST_BYTES];
  static uint8_t packed[LZ4_COMPRESSBOUND(MOST_BYTES)];
  int round;
  for (round = 0; round < 600; ++round) {
    const int bytes = round < 60 ? round + 1 : randomInt(1, round % 10 == 0 ? MOST_BYTES : 3000);
    const int level = round % 4 * 4; /* 0: the fast compressor */
    uint8_t* out = (uint8_t*)exactly((size_t)bytes);
    int changes;
    int size;
    makeContent(content, bytes, round % 5);
    size = level == 0
               ? LZ4_compress_default((const char*)content, (char*)packed, bytes, sizeof packed)
               : LZ4_compress_HC((const char*)content, (char*)packed, bytes, sizeof packed, level);
    CHECK(size > 0);
    CHECK(tigris_lz4_unpack(packed, (uint32_t)size, NULL, (uint32_t)bytes));
    CHECK(tigris_lz4_unpack(packed, (uint32_t)size, out, (uint32_t)bytes));
    CHECK(memcmp(out, content, (size_t)bytes) == 0);
    unpackInPlace(packed, (uint32_t)size, content, (uint32_t)bytes);
    CHECK(!tigris_lz4_unpack(packed, (uint32_t)size, NULL, (uint32_t)bytes + 1));
    CHECK(!tigris_lz4_unpack(packed, (uint32_t)size - 1, NULL, (uint32_t)bytes));
    for (changes = 0; changes < 40; ++changes) {
      packed[randomBits() % (uint32_t)size] = (uint8_t)randomBits();
      compare(packed, size, bytes);
    }
    release(out);
  }
  return finish();
}
