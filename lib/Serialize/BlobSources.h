// Sources of constant data that is not loaded yet.
#pragma once

#include "tigris/IR/Blob.h"
#include "tigris/IR/DType.h"

#include <memory>
#include <string>
#include <string_view>

namespace tigris {

/// Base64 within the text of a module. Keeps the text alive.
class TextSource : public BlobSource {
public:
  /// `encoded` is inside `*text`; `canonical` means that it has the layout our printer writes.
  TextSource(std::string name, std::shared_ptr<const std::string> text, std::string_view encoded,
             bool canonical)
      : name_(std::move(name)), text_(std::move(text)), encoded_(encoded), canonical_(canonical) {}

  std::vector<uint8_t> load(size_t size) const override;
  std::string_view encodedText() const override {
    return canonical_ ? encoded_ : std::string_view();
  }
  std::string name() const override { return name_; }

private:
  std::string name_;
  std::shared_ptr<const std::string> text_;
  std::string_view encoded_;
  bool canonical_;
};

/// A slice of a side file.
class FileSource : public BlobSource {
public:
  /// `path` is the path to open; `absolute` means that the module spells it as an absolute path.
  FileSource(std::string name, std::string path, bool absolute, uint64_t offset)
      : name_(std::move(name)), path_(std::move(path)), absolute_(absolute), offset_(offset) {}

  std::vector<uint8_t> load(size_t size) const override;
  std::string name() const override { return name_; }
  const std::string& path() const { return path_; }
  bool absolute() const { return absolute_; }
  uint64_t offset() const { return offset_; }

private:
  std::string name_;
  std::string path_;
  bool absolute_;
  uint64_t offset_;
};

/// Pseudo-random elements: floats uniform in [-amplitude, amplitude), integers in [-amplitude,
/// amplitude]. Element i depends on the seed and i only (splitmix64 of seed + i *
/// 0x9E3779B97F4A7C15).
struct Pattern {
  /// Float32, Int8 or Int32.
  DType type = DType::Float32;
  uint32_t seed = 0;
  /// An integer for integer types, within their range.
  float amplitude = 0;

  static bool supports(DType type);
  std::vector<uint8_t> generate(size_t size) const;
};

class PatternSource : public BlobSource {
public:
  PatternSource(std::string name, const Pattern& pattern)
      : name_(std::move(name)), pattern_(pattern) {}

  std::vector<uint8_t> load(size_t size) const override { return pattern_.generate(size); }
  std::string name() const override { return name_; }
  const Pattern& pattern() const { return pattern_; }

private:
  std::string name_;
  Pattern pattern_;
};

/// Throws DataError if the data is damaged. Does not keep what it decodes of text.
void checkData(const Blob& blob);

} // namespace tigris
