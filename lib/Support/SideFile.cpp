// Opens without blocking (O_NONBLOCK) and inspects the open file, not the path, which might change
// in between.
#include "tigris/Support/SideFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tigris {

namespace fs = std::filesystem;

namespace {

Error sideFileError(const char* what, const std::string& path, std::string_view reason) {
  return makeError(DiagId::IoError, "cannot ", what, " '", path, "': ", reason);
}

bool isBelow(const fs::path& directory, const fs::path& file) {
  return std::mismatch(directory.begin(), directory.end(), file.begin(), file.end()).first ==
         directory.end();
}

/// Whether the spelling of the path leads out of the directory, regardless of links.
bool leavesByName(const fs::path& location) {
  return location.is_absolute() ||
         std::find(location.begin(), location.end(), "..") != location.end();
}

} // namespace

Expected<SideFile> SideFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0)
    return sideFileError("open", path, std::strerror(errno));
  struct stat info {};
  const bool known = ::fstat(descriptor, &info) == 0;
  SideFile file(descriptor, known ? static_cast<uint64_t>(info.st_size) : 0, path);
  if (!known)
    return sideFileError("open", path, std::strerror(errno));
  if (!S_ISREG(info.st_mode))
    return sideFileError("open", path, "it is not a regular file");
  return file;
}

SideFile::SideFile(SideFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_),
      path_(std::move(other.path_)) {}

SideFile::~SideFile() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

Status SideFile::read(uint64_t offset, std::span<std::byte> bytes) const {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::pread(descriptor_, bytes.data() + done, bytes.size() - done,
                              static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return sideFileError("read", path_, n < 0 ? std::strerror(errno) : "the file ends early");
    done += static_cast<size_t>(n);
  }
  return {};
}

Expected<std::string> resolveBeside(const std::string& owner, const std::string& location) {
  const auto refused = [&](std::string_view reason) {
    return makeError(DiagId::BadWeights, "'", location, "' is refused: ", reason);
  };
  if (leavesByName(location))
    return refused("it must be in the model's directory or below it, without '..'");
  const fs::path model = owner == "-" ? fs::path() : fs::path(owner);
  const fs::path directory = model.has_parent_path() ? model.parent_path() : fs::path(".");
  const fs::path spelled = model.parent_path() / location;
  std::error_code error;
  const fs::path file = fs::canonical(spelled, error);
  if (error)
    return sideFileError("open", spelled.string(), error.message());
  const fs::path home = fs::canonical(directory, error);
  if (!error && isBelow(home, file))
    return file.string();
  // A model from standard input has no directory other than the current one, which `home` is.
  const fs::path itself = model.empty() ? fs::path() : fs::canonical(model, error);
  if (!itself.empty() && !error && isBelow(itself.parent_path(), file))
    return file.string();
  return refused(
      strCat("a symbolic link leads out of the model's folder, to '", file.string(), "'"));
}

} // namespace tigris
