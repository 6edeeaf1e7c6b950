// Files named by a model or a module. The author of a model must not choose which files this
// computer opens.
#pragma once

#include "tigris/Support/Expected.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tigris {

/// A regular file open for reading. Directories, FIFOs and devices are refused at once, so that no
/// open or read blocks or reads without end.
class SideFile {
public:
  /// IoError with the system's reason, or with the kind of the path.
  static Expected<SideFile> open(const std::string& path);
  SideFile(SideFile&& other) noexcept;
  SideFile& operator=(SideFile&&) = delete;
  ~SideFile();

  /// Size in bytes when the file was opened.
  uint64_t size() const { return size_; }
  /// Fills `bytes` from `offset` on; IoError if the file ends earlier or cannot be read.
  Status read(uint64_t offset, std::span<std::byte> bytes) const;

private:
  SideFile(int descriptor, uint64_t size, std::string path)
      : descriptor_(descriptor), size_(size), path_(std::move(path)) {}

  int descriptor_;
  uint64_t size_;
  std::string path_;
};

/// The file `location` relative to the directory of `owner` ("-": the current directory), with
/// every symbolic link resolved. It must be in the directory of `owner` or below it, either as
/// spelled or with `owner` itself resolved, since `owner` may be a link into a store that holds
/// both. BadWeights if it is elsewhere, IoError if it does not exist.
Expected<std::string> resolveBeside(const std::string& owner, const std::string& location);

} // namespace tigris
