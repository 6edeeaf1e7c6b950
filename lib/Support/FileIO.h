// Files and standard streams as every tool uses them: whole reads, and outputs that appear only when complete.
#pragma once

#include "tigris/Support/Expected.h"

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// Reads a whole file, or standard input when `path` is "-". Directories, devices that give bytes, missing files and
/// read errors are DiagId::IoError with the reason. A FIFO is waited for.
Expected<std::string> readFile(const std::string& path);

/// How a path is shown in messages: "-" is "<stdin>".
std::string displayName(const std::string& path);

/// Which file a path names, however it is spelled: two paths of one file (symbolic and hard links,
/// "./a", "dir/../a") are equal, whether the file exists or not.
struct FileId {
  uint64_t device = 0;
  /// Of the file; of its folder where only that exists.
  uint64_t inode = 0;
  /// What the folder does not have yet; a whole path where there is no folder either.
  std::string name;

  auto operator<=>(const FileId&) const = default;
};

/// Nothing for what is not kept as a file: a stream ("-", /dev/stdout), a device, a FIFO, a folder.
std::optional<FileId> fileId(const std::string& path);

/// Files that appear together: each is written beside its place first, and commit() renames them all. Until
/// then old files stay as they are. What is not committed is removed: by the destructor, and by
/// removeTemporaries() where a signal ends the process.
class OutputFiles {
public:
  OutputFiles();
  ~OutputFiles();
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;

  /// A file of these bytes at `path`, behind the link where that is a symbolic link. "-" is standard output.
  /// Streams and devices are written by commit(), which needs `bytes` again.
  Status add(const std::string& path, std::string_view bytes);
  /// Like add(), but leaves a regular file that holds exactly these bytes as it is, with its time.
  Status addIfChanged(const std::string& path, std::string_view bytes);

  /// Streams and devices first, in the order added, as only these can still fail for want of room.
  Status commit();

private:
  friend void removeTemporaries();

  struct Temporary;
  struct Stream {
    std::string path;
    std::string_view bytes;
  };

  Status addTemporary(const std::string& path, std::string_view bytes);

  std::vector<std::unique_ptr<Temporary>> temporaries_;
  std::vector<Stream> streams_;
};

/// OutputFiles with one file.
Status writeFile(const std::string& path, std::string_view bytes);

/// Removes a regular file if it is there.
void removeFile(const std::string& path);

/// Removes what OutputFiles has written and not yet renamed. For the end of the process: safe in signal handlers.
void removeTemporaries();

} // namespace tigris
