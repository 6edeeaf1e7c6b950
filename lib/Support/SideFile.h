// Files that a model or a stream names: who wrote it may not decide what this computer opens.
#pragma once

#include "tigris/Support/Expected.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tigris {

/// A regular file, open for reading. A folder, a FIFO or a device is refused at once: nobody waits for a
/// writer, and nothing is read without end.
class SideFile {
public:
  /// IoError with the system's reason, or with what the path is instead.
  static Expected<SideFile> open(const std::string& path);
  SideFile(SideFile&& other) noexcept;
  SideFile& operator=(SideFile&&) = delete;
  ~SideFile();

  /// When it was opened.
  uint64_t size() const { return size_; }
  /// Fills `bytes` from `offset` on; IoError when the file ends before or cannot be read.
  Status read(uint64_t offset, std::span<std::byte> bytes) const;

private:
  SideFile(int descriptor, uint64_t size, std::string path)
      : descriptor_(descriptor), size_(size), path_(std::move(path)) {}

  int descriptor_;
  uint64_t size_;
  std::string path_;
};

/// The file `location` beside the file `owner` ("-": in the current directory) with every symbolic link resolved.
/// It must lie in the directory of `owner` or below, as spelled or with `owner` itself resolved, which may be
/// a link into a store that holds both. BadWeights where it lies elsewhere, IoError where it does not exist.
Expected<std::string> resolveBeside(const std::string& owner, const std::string& location);

} // namespace tigris
