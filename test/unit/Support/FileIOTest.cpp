// Reads of whole files, and writes that appear complete or not at all.
#include "tigris/Support/FileIO.h"
#include "tigris/Support/TextPieces.h"

#include <doctest/doctest.h>
#include <chrono>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace tigris;
namespace fs = std::filesystem;

namespace {

/// A directory for each test case, removed afterward.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string pattern = (fs::temp_directory_path() / "tigris-test-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~TemporaryDirectory() { fs::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  size_t count() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path_), {}));
  }

private:
  fs::path path_;
};

std::string contents(const std::string& path) {
  auto text = readFile(path);
  REQUIRE(text);
  return *text;
}

} // namespace

TEST_CASE("a device is no file, but an empty one is") {
  const auto zeros = readFile("/dev/zero");
  REQUIRE(!zeros);
  CHECK(zeros.error().message() ==
        "cannot read '/dev/zero': it is a device without an end of file");
  CHECK(contents("/dev/null").empty());
}

TEST_CASE("files: what is written is read, zero bytes and all") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a");
  const std::string bytes("a\0b\r\n\xFF", 6);
  REQUIRE(writeFile(path, bytes));
  CHECK(contents(path) == bytes);
  REQUIRE(writeFile(path, ""));
  CHECK(contents(path).empty());
  const std::string large(3 << 20, 'z');
  REQUIRE(writeFile(path, large));
  CHECK(contents(path) == large);
  CHECK(directory.count() == 1);
}

TEST_CASE("files: a new file obeys the umask, an old one keeps its mode") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a");
  const mode_t before = ::umask(027);
  const bool written = static_cast<bool>(writeFile(path, "1"));
  ::umask(before);
  REQUIRE(written);
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0640);
  REQUIRE(::chmod(path.c_str(), 0600) == 0);
  REQUIRE(writeFile(path, "2"));
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
}

TEST_CASE("files: a failed write leaves the old file and nothing else") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("missing/a");
  const Status status = writeFile(path, "x");
  REQUIRE(!status);
  CHECK(status.error().id() == DiagId::IoError);
  CHECK(status.error().message() == "cannot write '" + path + "': No such file or directory");
  CHECK(directory.count() == 0);
  const Status onDirectory = writeFile(directory.file("."), "x");
  CHECK(!onDirectory);
  CHECK(directory.count() == 0);
}

TEST_CASE("files: a full disk is reported") {
  if (::access("/dev/full", W_OK) != 0) {
    MESSAGE("no /dev/full here");
    return;
  }
  const Status status = writeFile("/dev/full", std::string(100000, 'x'));
  REQUIRE(!status);
  CHECK(status.error().message() == "cannot write '/dev/full': No space left on device");
}

TEST_CASE("files: special files are written directly") {
  CHECK(writeFile("/dev/null", "x"));
  CHECK(!fs::is_regular_file("/dev/null"));
}

TEST_CASE("files: a failed read names the reason") {
  const TemporaryDirectory directory;
  const auto missing = readFile(directory.file("none"));
  REQUIRE(!missing);
  CHECK(missing.error().message() ==
        "cannot open '" + directory.file("none") + "': No such file or directory");
  const auto folder = readFile(directory.file("."));
  REQUIRE(!folder);
  CHECK(folder.error().message().find("Is a directory") != std::string::npos);
  CHECK(displayName("-") == "<stdin>");
  CHECK(displayName("a") == "a");
}

TEST_CASE("files: several outputs appear together") {
  const TemporaryDirectory directory;
  REQUIRE(writeFile(directory.file("old"), "old"));
  {
    OutputFiles files;
    REQUIRE(files.add(directory.file("old"), "new"));
    REQUIRE(files.add(directory.file("b"), "b"));
    CHECK(contents(directory.file("old")) == "old");
    CHECK(!fs::exists(directory.file("b")));
    CHECK(directory.count() == 3);
    REQUIRE(files.commit());
  }
  CHECK(contents(directory.file("old")) == "new");
  CHECK(contents(directory.file("b")) == "b");
  CHECK(directory.count() == 2);
}

TEST_CASE("files: an output of several pieces") {
  const TemporaryDirectory directory;
  const auto owner = std::make_shared<const std::string>(100000, 's');
  TextPieces text("a");
  text.share(*owner, owner);
  text.tail() += "b";
  text.share("short", owner);
  text.tail() += "c";
  CHECK(text.views().size() == 3);
  CHECK(text.str() == "a" + *owner + "bshortc");
  const std::string path = directory.file("pieces");
  {
    OutputFiles files;
    REQUIRE(files.add(path, text.views()));
    REQUIRE(files.commit());
  }
  CHECK(contents(path) == text.str());
  const auto longAgo = fs::file_time_type::clock::now() - std::chrono::hours(1);
  const auto writeIfChanged = [&](std::vector<std::string_view> pieces) {
    fs::last_write_time(path, longAgo);
    OutputFiles files;
    REQUIRE(files.addIfChanged(path, std::move(pieces)));
    REQUIRE(files.commit());
    return fs::last_write_time(path) != longAgo;
  };
  CHECK_FALSE(writeIfChanged(text.views()));
  CHECK(writeIfChanged({"a", *owner, "bshortd"}));
  CHECK(writeIfChanged({"a", *owner, "bshort"}));
  CHECK_FALSE(writeIfChanged({"a", *owner, "bsh", "", "ort"}));
  CHECK(TextPieces().str().empty());
}

TEST_CASE("files: outputs that are not committed leave nothing") {
  const TemporaryDirectory directory;
  REQUIRE(writeFile(directory.file("old"), "old"));
  {
    OutputFiles files;
    REQUIRE(files.add(directory.file("old"), "new"));
    CHECK(!files.add(directory.file("missing/b"), "b"));
  }
  CHECK(contents(directory.file("old")) == "old");
  CHECK(directory.count() == 1);
  OutputFiles files;
  REQUIRE(files.add(directory.file("old"), "new"));
  removeTemporaries(); // as in a signal handler
  CHECK(directory.count() == 1);
  CHECK(!files.commit());
  CHECK(contents(directory.file("old")) == "old");
}

TEST_CASE("files: a full stream keeps the files of the same run from appearing") {
  if (::access("/dev/full", W_OK) != 0)
    return;
  const TemporaryDirectory directory;
  OutputFiles files;
  REQUIRE(files.add(directory.file("a"), "a"));
  REQUIRE(files.add("/dev/full", "text"));
  CHECK(!files.commit());
  CHECK(!fs::exists(directory.file("a")));
}

TEST_CASE("files: an output at a symbolic link is written to its target") {
  const TemporaryDirectory directory;
  fs::create_symlink("target", directory.file("link"));
  REQUIRE(writeFile(directory.file("link"), "1"));
  CHECK(fs::is_symlink(directory.file("link")));
  CHECK(contents(directory.file("target")) == "1");
  REQUIRE(writeFile(directory.file("link"), "2"));
  CHECK(contents(directory.file("target")) == "2");
  CHECK(directory.count() == 2);
}

TEST_CASE("files: a name as long as the system takes can be written") {
  const TemporaryDirectory directory;
  CHECK(writeFile(directory.file(std::string(255, 'n')), "x"));
}

TEST_CASE("files: only files are removed") {
  const TemporaryDirectory directory;
  REQUIRE(writeFile(directory.file("a"), "a"));
  removeFile(directory.file("a"));
  removeFile(directory.file("none"));
  removeFile("/dev/null");
  CHECK(directory.count() == 0);
  CHECK(fs::exists("/dev/null"));
}
