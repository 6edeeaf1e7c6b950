/* Decompresses one LZ4 block (github.com/lz4/lz4, doc/lz4_Block_format.md). The input is untrusted.
 *
 * A block is a series of sequences. A sequence is a token (high nibble: number of literals; low
 * nibble: match length - 4; 15 means that length bytes follow, each 255 but the last), the
 * literals, a 2-byte distance back from the end of the output so far, and the further bytes of the
 * match length. The last sequence ends after its literals. The format's end conditions are
 * enforced: the last 5 bytes are literals, and no match starts within the last 12 bytes.
 *
 * Example: 32 'a' 'b' 'c' 02 00 ... is 3 literals "abc", then a match of length 2 + 4 = 6 from 2
 * bytes back: "abc" + "bcbcbc". */
#ifndef TIGRIS_LZ4_BLOCK_H
#define TIGRIS_LZ4_BLOCK_H

#include <stdint.h>

/* Returns 1 and writes exactly `bytes` bytes to `to` if the `size` bytes at `from` are one complete
 * block with that output; otherwise returns 0, and the output is unspecified. Nothing outside
 * [from, from + size) is read and nothing outside [to, to + bytes) is read or written. The two may
 * overlap only if the input ends at least TIGRIS_LZ4_MARGIN(size) bytes behind the output. A valid
 * block is then unpacked in place, and any other bytes give 0 or an unspecified output.
 *
 * `to` may be NULL: then the bytes are only checked. The result depends only on lengths and
 * distances, so a block that has been checked once cannot fail later. Time is linear in size +
 * bytes; no memory is allocated. `bytes` must not be 0 (returns 0). */
int tigris_lz4_unpack(const uint8_t* from, uint32_t size, uint8_t* to, uint32_t bytes);

#endif /* TIGRIS_LZ4_BLOCK_H */
