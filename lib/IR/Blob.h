// Immutable bytes of a constant, shared between graph copies and decoded on first use.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// Source of bytes that are not in memory yet: base64 text of a module, a slice of a side file, a
/// splat pattern. Implemented in Serialize and Import.
class BlobSource {
public:
  virtual ~BlobSource();
  /// Returns exactly `size` bytes or throws DataError with a message that describes the damage.
  virtual std::vector<uint8_t> load(size_t size) const = 0;
  /// The base64 text that this source decodes, if any: a printer copies it unchanged.
  virtual std::string_view encodedText() const { return {}; }
  /// Name of the constant, for messages.
  virtual std::string name() const { return {}; }
};

/// Constants hold raw little-endian elements in row-major order of their tensor's shape.
class Blob {
public:
  explicit Blob(std::vector<uint8_t> bytes);
  Blob(size_t size, uint32_t crc, std::shared_ptr<const BlobSource> source);

  size_t size() const { return size_; }
  /// Decodes on first use; throws DataError if the data is damaged or its checksum differs.
  std::span<const uint8_t> bytes() const;
  /// CRC-32 of the bytes; known without decoding if the blob was read from a module.
  uint32_t crc() const;
  const BlobSource* source() const { return source_.get(); }

  /// The elements as a typed vector; the size must be a multiple of sizeof(T).
  template <typename T> std::vector<T> values() const;

private:
  size_t size_;
  std::shared_ptr<const BlobSource> source_;
  mutable std::once_flag loaded_;
  mutable std::vector<uint8_t> bytes_;
  mutable uint32_t crc_ = 0;
  mutable bool crcKnown_ = false;
};

using BlobRef = std::shared_ptr<const Blob>;

BlobRef makeBlob(std::vector<uint8_t> bytes);
template <typename T> BlobRef makeBlobOf(std::span<const T> values) {
  const auto* first = reinterpret_cast<const uint8_t*>(values.data());
  return makeBlob(std::vector<uint8_t>(first, first + values.size_bytes()));
}
template <typename T> BlobRef makeBlobOf(const std::vector<T>& values) {
  return makeBlobOf(std::span<const T>(values));
}

void copyBytes(void* to, std::span<const uint8_t> from);

template <typename T> std::vector<T> Blob::values() const {
  const auto raw = bytes();
  std::vector<T> result(raw.size() / sizeof(T));
  copyBytes(result.data(), raw.first(result.size() * sizeof(T)));
  return result;
}

} // namespace tigris
