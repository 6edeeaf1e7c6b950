/* The LZ4 block decoder. */
#include "lz4_block.h"

#include <stddef.h>
#include <string.h>

#define MIN_MATCH 4u
#define LAST_LITERALS 5u     /* the output ends with at least this many literals */
#define LAST_MATCH_START 12u /* no match starts closer than this to the end of the output */
#define LONG_LENGTH 15u      /* nibble value after which length bytes follow */
#define LONGER_LENGTH 255u   /* length byte after which another one follows */
#define TOO_LONG 0xFFFFFFFFu /* not a possible length */

/* Reads a length that begins with `nibble` and continues at *at; TOO_LONG if it exceeds `most` or
 * the input ends. */
static uint32_t readLength(const uint8_t** at, const uint8_t* end, uint32_t nibble, uint32_t most) {
  uint32_t length = nibble;
  uint32_t more = nibble == LONG_LENGTH ? LONGER_LENGTH : 0;
  while (more == LONGER_LENGTH) {
    if (*at == end || length > most)
      return TOO_LONG;
    more = *(*at)++;
    length += more; /* no overflow: most <= 2^32 - 1 - 15 - 255 in all callers */
  }
  return length > most ? TOO_LONG : length;
}

/* Copies `length` bytes from `distance` bytes before `to`. Source and destination may overlap: a
 * match may repeat bytes it has just written. */
static void copyMatch(uint8_t* to, uint32_t distance, uint32_t length) {
  const uint8_t* from = to - distance;
  if (distance >= length) {
    memcpy(to, from, length);
    return;
  }
  while (length-- > 0)
    *to++ = *from++;
}

int tigris_lz4_unpack(const uint8_t* from, uint32_t size, uint8_t* to, uint32_t bytes) {
  const uint8_t* const end = from + size;
  uint32_t done = 0; /* bytes of output so far, at most `bytes` */
  if (bytes == 0 || bytes > INT32_MAX)
    return 0;
  while (from != end) {
    const uint32_t token = *from++;
    uint32_t length = readLength(&from, end, token >> 4, bytes - done);
    uint32_t distance;
    if (length > (size_t)(end - from))
      return 0;
    if (to != NULL)
      memmove(to + done, from, length); /* in place: the input lies ahead of the output */
    from += length;
    done += length;
    if (from == end)
      return done == bytes; /* at least LAST_LITERALS of them: see the match below */
    if (end - from < 2 || bytes - done < LAST_MATCH_START)
      return 0;
    distance = from[0] | (uint32_t)from[1] << 8;
    from += 2;
    length = readLength(&from, end, token & 15u, bytes - done);
    if (distance == 0 || distance > done || length > bytes - done - LAST_LITERALS - MIN_MATCH)
      return 0;
    length += MIN_MATCH;
    if (to != NULL)
      copyMatch(to + done, distance, length);
    done += length;
  }
  return 0;
}
