// POSIX file access: large reads in one go, writes that survive short counts and report ENOSPC.
#include "tigris/Support/FileIO.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tigris {

namespace {

Error ioError(const std::string& path, const char* what) {
  return makeError(DiagId::IoError, "cannot ", what, " '", displayName(path),
                   "': ", std::strerror(errno));
}

Status writeAll(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return ioError(path, "write");
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

Expected<std::string> readAll(int fd, const std::string& path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0)
    return ioError(path, "read");
  if (S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return ioError(path, "read");
  }
  // /dev/null ends at once; a terminal ends where its user says so.
  const bool endless = S_ISBLK(info.st_mode) || (S_ISCHR(info.st_mode) && ::isatty(fd) == 0);
  std::string text;
  size_t used = 0;
  // One byte more than the size lets the final zero-length read happen without growing.
  text.resize(S_ISREG(info.st_mode) ? static_cast<size_t>(info.st_size) + 1 : size_t{1} << 20);
  while (true) {
    if (used == text.size())
      text.resize(text.size() * 2);
    const ssize_t n = ::read(fd, text.data() + used, text.size() - used);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return ioError(path, "read");
    if (n == 0)
      break;
    if (endless)
      return makeError(DiagId::IoError, "cannot read '", displayName(path),
                       "': it is a device, which has no end");
    used += static_cast<size_t>(n);
  }
  text.resize(used);
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

Status writeFile(const std::string& path, std::string_view bytes) {
  if (path == "-")
    return writeAll(STDOUT_FILENO, bytes, "<stdout>");

  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0)
      return ioError(path, "write");
    Status status = writeAll(fd, bytes, path);
    ::close(fd);
    return status;
  }

  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkstemp(temporary.data());
  if (fd < 0)
    return ioError(path, "write");
  // mkstemp makes the file private; an output has the mode an ordinary create would give it.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t mode = exists ? info.st_mode & 07777 : 0666 & ~mask;
  Status status = ::fchmod(fd, mode) == 0 ? writeAll(fd, bytes, path) : ioError(path, "write");
  // close() is where some file systems report that the data did not fit.
  if (::close(fd) != 0 && status)
    status = ioError(path, "write");
  if (status && std::rename(temporary.c_str(), path.c_str()) != 0)
    status = ioError(path, "write");
  if (!status)
    ::unlink(temporary.c_str());
  return status;
}

Status writeFileIfChanged(const std::string& path, std::string_view bytes) {
  struct stat info {};
  if (path != "-" && ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
      static_cast<uint64_t>(info.st_size) == bytes.size())
    if (const Expected<std::string> old = readFile(path); old && *old == bytes)
      return {};
  return writeFile(path, bytes);
}

} // namespace tigris
