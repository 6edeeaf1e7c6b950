// Compression of weights and names.
#pragma once

#include <string>
#include <string_view>

namespace tigris {

/// One LZ4 block, as small as liblz4 can make it. At most 2,113,929,216 bytes.
std::string lz4Block(std::string_view bytes);

} // namespace tigris
