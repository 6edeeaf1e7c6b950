/* Decompresses one LZ4 block (github.com/lz4/lz4, doc/lz4_Block_format.md) without trusting a byte of it.
 *
 * A block is a row of sequences: a token (high nibble: number of literals, low nibble: match length - 4; 15
 * goes on in bytes of 255 and one below), the literals, a distance of two bytes counted back from the
 * end of the output so far, and the rest of the match length. The last sequence ends behind its literals.
 * Its end conditions are part of the format and are enforced: the last 5 bytes are literals, and no match
 * starts among the last 12. */
#ifndef TIGRIS_LZ4_BLOCK_H
#define TIGRIS_LZ4_BLOCK_H

#include <stdint.h>

/* Writes exactly `bytes` bytes to `to` and returns 1 if the `size` bytes at `from` are one whole block of just
 * that output; otherwise 0. Nothing outside [from, from + size) is read and nothing outside
 * [to, to + bytes) read or written; after 0 the output is unspecified. The two must not overlap.
 *
 * `to` NULL: only the answer. It depends on the lengths and distances alone, so a block that has been
 * checked once cannot fail later. Time is linear in size + bytes; no memory. `bytes` 0 is refused. */
int tigris_lz4_unpack(const uint8_t* from, uint32_t size, uint8_t* to, uint32_t bytes);

#endif /* TIGRIS_LZ4_BLOCK_H */
