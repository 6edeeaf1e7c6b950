// Decodes, reads or generates data on first use. Damage is a DataError that names the blob.
#include "tigris/Serialize/BlobSources.h"

#include "tigris/Serialize/Base64.h"
#include "tigris/Support/Check.h"
#include "tigris/Support/SideFile.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <cstring>

namespace tigris {

namespace {

/// The finalizer of splitmix64: good bits from consecutive numbers.
uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

template <typename T, typename Make>
void fillElements(std::vector<uint8_t>& bytes, uint32_t seed, const Make& make) {
  for (size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    const T value = make(mix(seed + (i + 1) * 0x9E3779B97F4A7C15ULL));
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
}

} // namespace

std::vector<uint8_t> TextSource::load(size_t size) const {
  auto bytes = decodeBase64(encoded_, size);
  if (!bytes)
    throw DataError(strCat("weights of '", name_, "' are damaged: the text is not the base64 of ",
                           size, " bytes"));
  return std::move(*bytes);
}

std::vector<uint8_t> FileSource::load(size_t size) const {
  std::vector<uint8_t> bytes(size);
  const Expected<SideFile> file = SideFile::open(path_);
  const Status status =
      file ? file->read(offset_, std::as_writable_bytes(std::span(bytes))) : Status(file.error());
  if (!status)
    throw DataError(strCat("weights of '", name_, "', ", size, " bytes at ", offset_, ": ",
                           status.error().message()));
  return bytes;
}

bool Pattern::supports(DType type) {
  return type == DType::Float32 || type == DType::Int8 || type == DType::Int32;
}

std::vector<uint8_t> Pattern::generate(size_t size) const {
  std::vector<uint8_t> bytes(size);
  const auto limit = static_cast<int64_t>(amplitude);
  const auto integer = [&](uint64_t bits) {
    return static_cast<int64_t>((bits >> 32) % static_cast<uint64_t>(2 * limit + 1)) - limit;
  };
  switch (type) {
  case DType::Float32:
    // 24 bits fill a float's mantissa, so every step below is exact except the last product.
    fillElements<float>(bytes, seed, [&](uint64_t bits) {
      return (static_cast<float>(bits >> 40) * 0x1p-23F - 1.0F) * amplitude;
    });
    break;
  case DType::Int8:
    fillElements<int8_t>(bytes, seed, [&](uint64_t b) { return static_cast<int8_t>(integer(b)); });
    break;
  case DType::Int32:
    fillElements<int32_t>(bytes, seed,
                          [&](uint64_t b) { return static_cast<int32_t>(integer(b)); });
    break;
  default:
    TIGRIS_UNREACHABLE(strCat("pattern of ", dtypeName(type)));
  }
  return bytes;
}

void checkData(const Blob& blob) {
  const std::string_view text =
      blob.source() != nullptr ? blob.source()->encodedText() : std::string_view();
  if (!isBase64Block(text, blob.size()) || crcOfBase64Block(text, blob.size()) != blob.crc())
    (void)blob.bytes(); // throws with what is wrong
}

} // namespace tigris
