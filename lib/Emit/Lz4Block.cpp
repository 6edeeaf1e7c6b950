// The strongest compression of liblz4, which always succeeds.
#include "tigris/Emit/Lz4Block.h"

#include "tigris/Support/Check.h"

#include <lz4hc.h>

namespace tigris {

std::string lz4Block(std::string_view bytes) {
  const int size = static_cast<int>(bytes.size());
  std::string packed(static_cast<size_t>(LZ4_compressBound(size)), '\0');
  const int written = LZ4_compress_HC(bytes.data(), packed.data(), size,
                                      static_cast<int>(packed.size()), LZ4HC_CLEVEL_MAX);
  TIGRIS_CHECK_MSG(written > 0, "liblz4 failed with space for the worst case");
  packed.resize(static_cast<size_t>(written));
  return packed;
}

} // namespace tigris
