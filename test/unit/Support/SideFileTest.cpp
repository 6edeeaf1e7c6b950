// Files named by a model are read only where allowed, and only regular files.
#include "tigris/Support/SideFile.h"

#include <doctest/doctest.h>
#include <array>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace tigris;
namespace fs = std::filesystem;

namespace {

/// A directory with a model and weights, and a sibling directory that the model must not access.
class ModelFolder {
public:
  ModelFolder() {
    std::string pattern = (fs::temp_directory_path() / "tigris-side-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    root_ = pattern;
    fs::create_directories(root_ / "model" / "sub");
    fs::create_directories(root_ / "other");
    for (const char* const name : {"model/m.onnx", "model/w.bin", "model/sub/w.bin", "other/w.bin"})
      std::ofstream(root_ / name) << "12345678";
  }
  ~ModelFolder() { fs::remove_all(root_); }
  ModelFolder(const ModelFolder&) = delete;
  ModelFolder& operator=(const ModelFolder&) = delete;

  const fs::path& root() const { return root_; }
  std::string model() const { return (root_ / "model" / "m.onnx").string(); }
  void link(const std::string& name, const std::string& target) const {
    fs::create_symlink(target, root_ / "model" / name);
  }

private:
  fs::path root_;
};

std::string openError(const std::string& path) {
  const Expected<SideFile> file = SideFile::open(path);
  REQUIRE(!file);
  CHECK(file.error().id() == DiagId::IoError);
  return file.error().message();
}

} // namespace

TEST_CASE("a regular file is read in slices") {
  const ModelFolder folder;
  const Expected<SideFile> file = SideFile::open(folder.model());
  REQUIRE(file);
  CHECK(file->size() == 8);
  std::array<char, 3> bytes{};
  CHECK(file->read(2, std::as_writable_bytes(std::span(bytes))));
  CHECK(std::string(bytes.data(), bytes.size()) == "345");
  const Status beyond = file->read(6, std::as_writable_bytes(std::span(bytes)));
  REQUIRE(!beyond);
  CHECK(beyond.error().message().find("the file ends early") != std::string::npos);
}

TEST_CASE("a path that is not a regular file is refused without waiting") {
  const ModelFolder folder;
  const std::string fifo = (folder.root() / "fifo").string();
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  for (const std::string& path : {fifo, folder.root().string(), std::string("/dev/zero")})
    CHECK(openError(path) == "cannot open '" + path + "': it is not a regular file");
  CHECK(openError("/no/such/file").find("No such file") != std::string::npos);
}

TEST_CASE("only the folder of the model and what is below holds its data") {
  const ModelFolder folder;
  folder.link("inside", "sub/w.bin");
  folder.link("outside", "../other/w.bin");
  folder.link("absolute", "/etc/passwd");
  folder.link("folder", "../other");
  folder.link("loop", "loop");
  const auto resolved = [&](const char* location) {
    return resolveBeside(folder.model(), location);
  };
  for (const char* const fine : {"w.bin", "sub/w.bin", "./w.bin", "inside"})
    CHECK_MESSAGE(resolved(fine), fine);
  CHECK(fs::path(*resolved("inside")).filename() == "w.bin");
  for (const char* const bad : {"outside", "absolute", "folder/w.bin", "../other/w.bin",
                                "/etc/passwd", "sub/../w.bin", ".."}) {
    const Expected<std::string> path = resolved(bad);
    REQUIRE_MESSAGE(!path, bad);
    CHECK(path.error().id() == DiagId::BadWeights);
    CHECK(path.error().message().find(std::string("'") + bad + "' is refused") == 0);
  }
  for (const char* const gone : {"loop", "gone"})
    CHECK(resolved(gone).error().id() == DiagId::IoError);
}

TEST_CASE("a model that is a link has the folder of its target, too") {
  const ModelFolder folder;
  fs::create_symlink("../model/m.onnx", folder.root() / "other" / "m.onnx");
  fs::create_symlink("../model/w.bin", folder.root() / "other" / "linked.bin");
  const std::string model = (folder.root() / "other" / "m.onnx").string();
  CHECK(resolveBeside(model, "linked.bin"));
  CHECK(resolveBeside(model, "w.bin"));
  CHECK(!resolveBeside((folder.root() / "other" / "w.bin").string(), "linked.bin"));
}
