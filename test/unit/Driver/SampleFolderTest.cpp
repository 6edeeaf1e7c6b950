// Calibration samples: which files belong together, and how many samples a file holds.
#include "tigris/Driver/Host/SampleFolder.h"

#include "tigris/Support/FileIO.h"
#include "tigris/Support/StringUtils.h"

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <unistd.h>

using namespace tigris;
namespace fs = std::filesystem;

namespace {

/// A new directory that is removed at the end of the test.
class TemporaryFolder {
public:
  TemporaryFolder()
      : path_(fs::temp_directory_path() / strCat("tigris-samples-", ::getpid(), "-", count_++)) {
    fs::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return path_.string(); }

  /// An array that counts upward from `first`.
  void put(const std::string& name, const Shape& shape, float first) const {
    NpyArray array{DType::Float32, shape, {}};
    for (int64_t i = 0; i < shape.elements(); ++i) {
      const float value = first + static_cast<float>(i);
      array.data.resize(array.data.size() + sizeof value);
      std::memcpy(array.data.data() + array.data.size() - sizeof value, &value, sizeof value);
    }
    fs::create_directories((path_ / name).parent_path());
    REQUIRE(writeFile((path_ / name).string(), formatNpy(array)));
  }

private:
  static inline int count_ = 0;
  fs::path path_;
};

/// First element of each array of each sample.
std::vector<std::vector<float>> firsts(const SampleFolder& folder, size_t limit = SIZE_MAX) {
  std::vector<std::vector<float>> result;
  const Status status = folder.forEach(limit, [&](const std::vector<NpyArray>& arrays) -> Status {
    result.emplace_back();
    for (const NpyArray& array : arrays) {
      float value = 0;
      std::memcpy(&value, array.data.data(), sizeof value);
      result.back().push_back(value);
      CHECK(array.data.size() == static_cast<size_t>(array.shape.elements()) * 4);
    }
    return {};
  });
  REQUIRE(status);
  return result;
}

using Firsts = std::vector<std::vector<float>>;

} // namespace

TEST_CASE("samples: one input, files of one and of many samples, in name order") {
  const TemporaryFolder folder;
  folder.put("b.npy", {3, 2, 2}, 100);    // a multiple of the leading 1
  folder.put("a.npy", {2, 2}, 7);         // without it
  folder.put("c.npy", {2, 1, 2, 2}, 200); // one more dimension
  folder.put("d.npy", {1, 2, 2}, 300);
  const auto samples = SampleFolder::open(folder.path(), {{"x", DType::Float32, Shape{1, 2, 2}}});
  REQUIRE(samples);
  CHECK(samples->fileCount() == 4);
  CHECK(firsts(*samples) == Firsts{{7}, {100}, {104}, {108}, {200}, {204}, {300}});
  CHECK(firsts(*samples, 3) == Firsts{{7}, {100}, {104}});
}

TEST_CASE("samples: several inputs by name or index") {
  const TemporaryFolder folder;
  folder.put("left/1.npy", {2}, 1);
  folder.put("left/2.npy", {2}, 2);
  folder.put("1/x.npy", {3}, 10);
  folder.put("1/y.npy", {3}, 20);
  const std::vector<SampleInput> inputs = {{"left", DType::Float32, Shape{2}},
                                           {"a/b", DType::Float32, Shape{3}}};
  const auto samples = SampleFolder::open(folder.path(), inputs);
  REQUIRE(samples);
  CHECK(firsts(*samples) == Firsts{{1, 10}, {2, 20}});
  folder.put("1/z.npy", {3}, 30);
  const auto uneven = SampleFolder::open(folder.path(), inputs);
  REQUIRE_FALSE(uneven);
  CHECK(uneven.error().message().find("'a/b' has 3 files, input 'left' has 2") !=
        std::string::npos);
}

TEST_CASE("samples: another type or shape names the file") {
  const TemporaryFolder folder;
  folder.put("a.npy", {2, 3}, 0);
  for (const SampleInput& input :
       {SampleInput{"x", DType::Float32, Shape{4}}, SampleInput{"x", DType::UInt8, Shape{2, 3}}}) {
    const auto samples = SampleFolder::open(folder.path(), {input});
    REQUIRE(samples);
    const Status status =
        samples->forEach(1, [](const std::vector<NpyArray>&) -> Status { return {}; });
    REQUIRE_FALSE(status);
    CHECK(status.error().id() == DiagId::BadValue);
    CHECK(status.error().diagnostic().loc.file.find("a.npy") != std::string::npos);
  }
}
