// Writes outputs to temporary files and renames them. A signal handler walks the list of temporary
// files, so the list changes only while signals are blocked.
#include "tigris/Support/FileIO.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace tigris {

namespace {

namespace fs = std::filesystem;

Error writeError(const std::string& path) {
  const char* reason = std::strerror(errno);
  return makeError(DiagId::IoError, "cannot write '", path == "-" ? "<stdout>" : path,
                   "': ", reason);
}

size_t totalSize(const std::vector<std::string_view>& pieces) {
  size_t size = 0;
  for (const std::string_view piece : pieces)
    size += piece.size();
  return size;
}

Status writePiece(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return writeError(path);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

Status writeAll(int fd, const std::vector<std::string_view>& pieces, const std::string& path) {
#ifdef F_SETPIPE_SZ
  // Fewer switches between the tools of a pipeline. Fails for other files, which is no harm.
  constexpr int PipeBytes = 1 << 20;
  if (totalSize(pieces) > PipeBytes)
    (void)::fcntl(fd, F_SETPIPE_SZ, PipeBytes);
#endif
  for (const std::string_view piece : pieces)
    if (Status status = writePiece(fd, piece, path); !status)
      return status;
  return {};
}

/// Whether `text` consists of the pieces.
bool consistsOf(std::string_view text, const std::vector<std::string_view>& pieces) {
  for (const std::string_view piece : pieces) {
    if (!text.starts_with(piece))
      return false;
    text.remove_prefix(piece.size());
  }
  return text.empty();
}

/// The open descriptor that a path names: "-", or one of the system's names for open files.
std::optional<int> openDescriptor(const std::string& path) {
  if (path == "-" || path == "/dev/stdout")
    return STDOUT_FILENO;
  if (path == "/dev/stderr")
    return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
    if (path.starts_with(folder))
      if (const auto number = parseInt(path.substr(folder.size())); number && *number >= 0)
        return static_cast<int>(*number);
  return std::nullopt;
}

/// The target of a path after following symbolic links, whether or not it exists.
fs::path resolveLinks(fs::path path) {
  constexpr int MaxLinks = 40; // the limit of the operating system
  std::error_code error;
  for (int i = 0; i < MaxLinks; ++i) {
    const fs::path target = fs::read_symlink(path, error);
    if (error)
      break;
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  return path;
}

std::string folderOf(const fs::path& path) {
  const fs::path folder = path.parent_path();
  return folder.empty() ? "." : folder.string();
}

/// Blocks signal handlers in this thread during its lifetime.
class SignalBlock {
public:
  SignalBlock() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalBlock() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

private:
  sigset_t before_{};
};

} // namespace

struct OutputFiles::Temporary {
  Temporary(const std::string& path, const fs::path& target)
      : shown(path), place(target.string()), name(folderOf(target) + "/.tigris-XXXXXX") {}

  /// Creates the file; returns what mkstemp returns.
  int create() {
    const SignalBlock block;
    const int fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd >= 0) {
      exists = true;
      older = newest.load();
      newest = this;
    }
    return fd;
  }

  /// Signals must be blocked.
  bool rename() {
    exists = std::rename(name.c_str(), place.c_str()) != 0;
    return !exists;
  }

  ~Temporary() {
    const SignalBlock block;
    if (exists)
      ::unlink(name.c_str());
    for (std::atomic<Temporary*>* link = &newest; *link != nullptr; link = &(*link).load()->older)
      if (*link == this) {
        *link = older.load();
        return;
      }
  }

  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  std::string shown;
  std::string place;
  std::string name;
  std::atomic<bool> exists = false;
  std::atomic<Temporary*> older = nullptr;

  static std::atomic<Temporary*> newest;
};

std::atomic<OutputFiles::Temporary*> OutputFiles::Temporary::newest = nullptr;

OutputFiles::OutputFiles() = default;
OutputFiles::~OutputFiles() = default;

Status OutputFiles::add(const std::string& path, std::vector<std::string_view> pieces) {
  struct stat info {};
  const bool isFile =
      !openDescriptor(path) && (::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode));
  if (isFile)
    return addTemporary(path, pieces);
  // Refuse a directory now, before other files have appeared.
  if (S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return writeError(path);
  }
  streams_.push_back({path, std::move(pieces)});
  return {};
}

Status OutputFiles::addTemporary(const std::string& path,
                                 const std::vector<std::string_view>& pieces) {
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  auto& temporary =
      *temporaries_.emplace_back(std::make_unique<Temporary>(path, resolveLinks(path)));
  const int fd = temporary.create();
  if (fd < 0)
    return writeError(path);
  // mkostemp creates a private file; an output gets the mode that an ordinary create would give it.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t mode = exists ? old.st_mode & 07777 : 0666 & ~mask;
  Status status = ::fchmod(fd, mode) == 0 ? writeAll(fd, pieces, path) : writeError(path);
  // Some file systems report only in close() that the data did not fit.
  if (::close(fd) != 0 && status)
    status = writeError(path);
  return status;
}

Status OutputFiles::addIfChanged(const std::string& path, std::vector<std::string_view> pieces) {
  struct stat info {};
  if (!openDescriptor(path) && ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
      static_cast<uint64_t>(info.st_size) == totalSize(pieces))
    if (const Expected<std::string> old = readFile(path); old && consistsOf(*old, pieces))
      return {};
  return add(path, std::move(pieces));
}

Status OutputFiles::commit() {
  for (const Stream& stream : streams_) {
    const std::optional<int> open = openDescriptor(stream.path);
    const int fd = open ? *open : ::open(stream.path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0)
      return writeError(stream.path);
    Status status = writeAll(fd, stream.pieces, stream.path);
    if (!open && ::close(fd) != 0 && status)
      status = writeError(stream.path);
    if (!status)
      return status;
  }
  const SignalBlock block;
  for (const auto& temporary : temporaries_)
    if (!temporary->rename())
      return writeError(temporary->shown);
  return {};
}

Status writeFile(const std::string& path, std::string_view bytes) {
  OutputFiles files;
  if (Status status = files.add(path, bytes); !status)
    return status;
  return files.commit();
}

void removeFile(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode))
    ::unlink(path.c_str());
}

void removeTemporaries() {
  const int error = errno;
  for (const OutputFiles::Temporary* temporary = OutputFiles::Temporary::newest;
       temporary != nullptr; temporary = temporary->older)
    if (temporary->exists)
      ::unlink(temporary->name.c_str());
  errno = error;
}

std::optional<FileId> fileId(const std::string& path) {
  struct stat info {};
  if (openDescriptor(path))
    return std::nullopt;
  if (::stat(path.c_str(), &info) == 0)
    return S_ISREG(info.st_mode) ? std::optional<FileId>({info.st_dev, info.st_ino, {}})
                                 : std::nullopt;
  const fs::path place = resolveLinks(path);
  if (::stat(folderOf(place).c_str(), &info) == 0)
    return FileId{info.st_dev, info.st_ino, place.filename().string()};
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(place, error), error);
  return FileId{0, 0, error ? place.lexically_normal().string() : whole.string()};
}

} // namespace tigris
