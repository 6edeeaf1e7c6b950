// CRC-32 with the zlib polynomial (reflected 0xEDB88320), as in the weights document and the .tgrs
// header.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tigris {

/// To continue a running checksum, pass the previous result as `seed`; 0 starts a new one.
uint32_t crc32(const void* data, size_t size, uint32_t seed = 0);

} // namespace tigris
