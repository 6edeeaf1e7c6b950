// File access for all tools: reads of whole files and standard input, and outputs that appear only
// when they are complete.
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

/// Reads a whole file, or standard input if `path` is "-". Waits for a FIFO. Fails with IoError and
/// the reason on a directory, a device that delivers bytes, a missing file or a read error.
Expected<std::string> readFile(const std::string& path);

/// The form of a path in messages: "-" is "<stdin>".
std::string displayName(const std::string& path);

/// Identity of a file, independent of the spelling of its path: two paths to one file (symbolic and
/// hard links, "./a", "dir/../a") compare equal, whether or not the file exists.
struct FileId {
  uint64_t device = 0;
  /// Of the file, or of its directory if only that exists.
  uint64_t inode = 0;
  /// The part of the path that does not exist yet; the whole path if no directory exists.
  std::string name;

  auto operator<=>(const FileId&) const = default;
};

/// nullopt for paths that do not name a stored file: a stream ("-", /dev/stdout), a device, a FIFO,
/// a directory.
std::optional<FileId> fileId(const std::string& path);

/// A set of output files that appear together. Each is first written to a temporary file in its
/// directory; commit() renames them all. Until then existing files stay unchanged. Temporary files
/// that are not committed are removed by the destructor, or by removeTemporaries() if a signal ends
/// the process.
class OutputFiles {
public:
  OutputFiles();
  ~OutputFiles();
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;

  /// Adds a file with these bytes at `path`; a symbolic link is followed. "-" is standard output.
  /// Streams and devices are written only by commit(), so `bytes` must stay valid until then.
  Status add(const std::string& path, std::string_view bytes) {
    return add(path, std::vector{bytes});
  }
  /// The file consists of the pieces in order.
  Status add(const std::string& path, std::vector<std::string_view> pieces);
  /// Like add(), but keeps an existing regular file with exactly these bytes, including its time.
  Status addIfChanged(const std::string& path, std::vector<std::string_view> pieces);

  /// Writes streams and devices first, in the order they were added, because only these can still
  /// fail for lack of space; then renames the files.
  Status commit();

private:
  friend void removeTemporaries();

  struct Temporary;
  struct Stream {
    std::string path;
    std::vector<std::string_view> pieces;
  };

  Status addTemporary(const std::string& path, const std::vector<std::string_view>& pieces);

  std::vector<std::unique_ptr<Temporary>> temporaries_;
  std::vector<Stream> streams_;
};

/// OutputFiles with a single file.
Status writeFile(const std::string& path, std::string_view bytes);

/// Removes a regular file if it is there.
void removeFile(const std::string& path);

/// Removes the temporary files of all OutputFiles. For the end of the process; safe in signal
/// handlers.
void removeTemporaries();

} // namespace tigris
