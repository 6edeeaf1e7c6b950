// Decodes blobs on first use: a tool that does not access a weight does not decode its base64.
#include "tigris/IR/Blob.h"

#include "tigris/Support/Check.h"
#include "tigris/Support/Crc32.h"
#include "tigris/Support/StringUtils.h"

#include <cstring>
#include <iomanip>

namespace tigris {

BlobSource::~BlobSource() = default;

Blob::Blob(std::vector<uint8_t> bytes) : size_(bytes.size()), bytes_(std::move(bytes)) {
  std::call_once(loaded_, [] {});
}

Blob::Blob(size_t size, uint32_t crc, std::shared_ptr<const BlobSource> source)
    : size_(size), source_(std::move(source)), crc_(crc), crcKnown_(true) {}

std::span<const uint8_t> Blob::bytes() const {
  std::call_once(loaded_, [this] {
    std::vector<uint8_t> loaded = source_->load(size_);
    TIGRIS_CHECK(loaded.size() == size_);
    const uint32_t actual = crc32(loaded.data(), loaded.size());
    if (actual != crc_)
      throw DataError(strCat("weights of '", source_->name(), "' are damaged: crc32 is ", std::hex,
                             std::setfill('0'), std::setw(8), actual, ", expected ", std::setw(8),
                             crc_));
    bytes_ = std::move(loaded);
  });
  return bytes_;
}

uint32_t Blob::crc() const {
  if (!crcKnown_) {
    crc_ = crc32(bytes_.data(), bytes_.size());
    crcKnown_ = true;
  }
  return crc_;
}

BlobRef makeBlob(std::vector<uint8_t> bytes) {
  return std::make_shared<const Blob>(std::move(bytes));
}

void copyBytes(void* to, std::span<const uint8_t> from) {
  if (!from.empty())
    std::memcpy(to, from.data(), from.size());
}

} // namespace tigris
