// Detection of two uses of one file, however its path is spelled.
#include "tigris/Driver/CommandLine/ToolFiles.h"

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace tigris;
namespace fs = std::filesystem;

namespace {

/// A directory with a file "a" and several paths to it.
struct Folder {
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "tigris-files-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path = pattern;
    std::ofstream(path / "a") << "a";
    fs::create_directory(path / "dir");
    fs::create_symlink("a", path / "link");
    fs::create_symlink("link", path / "link-to-link");
    fs::create_symlink("new", path / "dangling");
    fs::create_directory_symlink("dir", path / "dir-link");
    fs::create_hard_link(path / "a", path / "hard");
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator()(const char* name) const { return (path / name).string(); }

  fs::path path;
};

bool clashes(const std::string& read, const std::string& written) {
  ToolFiles files;
  files.reads(read, "the input");
  files.writes(written, "option '-o'");
  return !files.check();
}

} // namespace

TEST_CASE("tool files: no output is an input under another name") {
  const Folder folder;
  for (const char* name :
       {"a", "./a", "dir/../a", "link", "link-to-link", "hard", "dir-link/../a"}) {
    CAPTURE(name);
    CHECK(clashes(folder("a"), folder(name)));
    CHECK(clashes(folder(name), folder("a")));
  }
  CHECK(!clashes(folder("a"), folder("b")));
  CHECK(!clashes(folder("a"), folder("dir/a")));
}

TEST_CASE("tool files: files that do not exist yet have names, too") {
  const Folder folder;
  const auto twice = [&](const char* first, const char* second) {
    ToolFiles files;
    files.writes(folder(first), "option '-o'");
    files.writes(folder(second), "option '--depfile'");
    return !files.check();
  };
  CHECK(twice("new", "new"));
  CHECK(twice("new", "dir/../new"));
  CHECK(twice("new", "dangling"));
  CHECK(twice("dir/new", "dir-link/new"));
  CHECK(twice("none/x/new", "none/y/../x/new"));
  CHECK(!twice("new", "newer"));
  CHECK(!twice("dir/new", "new"));
}

TEST_CASE("tool files: the message names both uses") {
  const Folder folder;
  ToolFiles files;
  files.reads(folder("a"), "option '--costs'");
  files.reads(folder("link"), "the input"); // two readers are allowed
  CHECK(files.check());
  files.writes(folder("hard"), "option '-o'");
  const Status status = files.check();
  REQUIRE(!status);
  CHECK(status.error().id() == DiagId::Usage);
  CHECK(status.error().message() == "option '-o' would overwrite '" + folder("hard") +
                                        "', which option '--costs' reads (as '" + folder("a") +
                                        "'), too");
}

TEST_CASE("tool files: streams and devices may be used any number of times") {
  const Folder folder;
  for (const char* name : {"-", "/dev/stdout", "/dev/null", "/dev/stderr", "/dev/fd/1"}) {
    CAPTURE(name);
    ToolFiles files;
    files.reads("/dev/null", "the input");
    files.writes(name, "option '-o'");
    files.writes(name, "option '--depfile'");
    CHECK(files.check());
  }
}
