// Reads whole files with few system calls.
#include "tigris/Support/FileIO.h"

#include "tigris/Support/LargePages.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tigris {

namespace {

Error ioError(const std::string& path, const char* what) {
  const char* reason = std::strerror(errno);
  return makeError(DiagId::IoError, "cannot ", what, " '", displayName(path), "': ", reason);
}

/// Memory to reserve for an input of unknown size. It costs nothing until it is written, but
/// growing a string by copying does.
constexpr size_t StreamReserve = size_t{64} << 20;
/// Smaller inputs would waste a large page.
constexpr size_t LargeInput = size_t{1} << 20;
/// A buffer that stays in the processor's cache.
constexpr size_t PieceBytes = size_t{1} << 18;

Expected<std::string> readAll(int fd, const std::string& path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0)
    return ioError(path, "read");
  if (S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return ioError(path, "read");
  }
  // /dev/null ends at once, and a terminal ends when the user types the end-of-file character.
  const bool endless = S_ISBLK(info.st_mode) || (S_ISCHR(info.st_mode) && ::isatty(fd) == 0);
  std::string text;
  text.reserve(S_ISREG(info.st_mode) ? static_cast<size_t>(info.st_size) : StreamReserve);
  std::vector<char> piece(PieceBytes);
  while (true) {
    const ssize_t n = ::read(fd, piece.data(), piece.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return ioError(path, "read");
    if (n == 0)
      break;
    if (endless)
      return makeError(DiagId::IoError, "cannot read '", displayName(path),
                       "': it is a device without an end of file");
    const bool wasSmall = text.size() < LargeInput;
    text.append(piece.data(), static_cast<size_t>(n));
    if (wasSmall && text.size() >= LargeInput)
      preferLargePages(text.data(), text.capacity());
  }
  return text;
}

} // namespace

std::string displayName(const std::string& path) { return path == "-" ? "<stdin>" : path; }

Expected<std::string> readFile(const std::string& path) {
  if (path == "-")
    return readAll(STDIN_FILENO, path);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return ioError(path, "open");
  Expected<std::string> text = readAll(fd, path);
  ::close(fd);
  return text;
}

} // namespace tigris
