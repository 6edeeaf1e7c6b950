/* CRC-32 as zlib computes it (polynomial 0xEDB88320, reflected, initial and final complement). */
#ifndef TIGRIS_CRC32_H
#define TIGRIS_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t tigris_crc32(const uint8_t* bytes, size_t size);

#endif /* TIGRIS_CRC32_H */
