// Exact offsets: against enumeration on tiny sets, on generated sets, and on published benchmarks
// if available.
#include "tigris/Plan/Layout/OffsetSearch.h"
#include "tigris/Analysis/MemoryTimeline.h"
#include "tigris/Plan/Layout/ArenaLayout.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <set>
#include <sstream>

using namespace tigris;

namespace {

void checkOffsets(std::span<const LiveBuffer> buffers, const std::vector<uint64_t>& offsets,
                  uint64_t align, uint64_t height) {
  REQUIRE(offsets.size() == buffers.size());
  for (size_t a = 0; a < buffers.size(); ++a) {
    CHECK(offsets[a] % align == 0);
    CHECK(offsets[a] + buffers[a].bytes <= height);
    for (size_t b = 0; b < a; ++b)
      if (buffers[a].overlaps(buffers[b]))
        CHECK((offsets[a] + buffers[a].bytes <= offsets[b] ||
               offsets[b] + buffers[b].bytes <= offsets[a]));
  }
}

/// The lowest height over all orders of placing each buffer as low as possible: one of them is
/// optimal.
uint64_t enumeratedHeight(std::span<const LiveBuffer> buffers) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  uint64_t best = UINT64_MAX;
  do {
    std::vector<uint64_t> offsets(buffers.size());
    uint64_t height = 0;
    for (size_t k = 0; k < order.size(); ++k) {
      uint64_t& offset = offsets[order[k]];
      for (size_t other = 0; other < k; ++other)
        if (buffers[order[k]].overlaps(buffers[order[other]]))
          offset = std::max(offset, offsets[order[other]] + buffers[order[other]].bytes);
      height = std::max(height, offset + buffers[order[k]].bytes);
    }
    best = std::min(best, height);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

/// Rectangles that fill steps x height without gaps, so that `height` is optimal: cut randomly, in
/// random order.
std::vector<LiveBuffer> perfectPacking(uint32_t seed, size_t count, uint32_t steps,
                                       uint64_t height) {
  struct Rectangle {
    uint32_t begin, end;
    uint64_t bytes;
  };
  std::mt19937 random(seed);
  std::vector<Rectangle> all = {{0, steps, height}};
  while (all.size() < count) {
    Rectangle& cut = all[random() % all.size()];
    Rectangle other = cut;
    if (random() % 2 == 0 && cut.end - cut.begin > 1) {
      cut.end = other.begin = cut.begin + 1 + random() % (cut.end - cut.begin - 1);
    } else if (cut.bytes > 16) {
      other.bytes = 8 + random() % (cut.bytes / 8 - 1) * 8;
      cut.bytes -= other.bytes;
    } else {
      continue;
    }
    all.push_back(other);
  }
  std::shuffle(all.begin(), all.end(), random);
  std::vector<LiveBuffer> buffers;
  for (const Rectangle& rectangle : all)
    buffers.push_back({{}, rectangle.bytes, rectangle.begin, rectangle.end - 1});
  return buffers;
}

} // namespace

TEST_CASE("the least height is found, and nothing below it") {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    std::vector<LiveBuffer> buffers;
    for (size_t i = 0; i < 7; ++i) {
      const auto birth = static_cast<uint32_t>(random() % 8);
      buffers.push_back({{}, 1 + random() % 9, birth, birth + static_cast<uint32_t>(random() % 4)});
    }
    const uint64_t best = enumeratedHeight(buffers);
    std::vector<uint64_t> offsets;
    size_t work = 1'000'000;
    REQUIRE(fitOffsets(buffers, 1, best, work, offsets) == FitResult::Found);
    checkOffsets(buffers, offsets, 1, best);
    CHECK(fitOffsets(buffers, 1, best - 1, work, offsets) == FitResult::Impossible);
    work = 3;
    CHECK(fitOffsets(buffers, 1, best, work, offsets) == FitResult::GaveUp);
  }
}

TEST_CASE("sizes that are no multiples of the alignment may end at the height") {
  const std::vector<LiveBuffer> buffers = {{{}, 5, 0, 2}, {{}, 7, 1, 3}, {{}, 3, 2, 4}};
  std::vector<uint64_t> offsets;
  size_t work = 1000;
  REQUIRE(fitOffsets(buffers, 8, 19, work, offsets) == FitResult::Found);
  checkOffsets(buffers, offsets, 8, 19);
  CHECK(fitOffsets(buffers, 8, 18, work, offsets) == FitResult::Impossible);
}

TEST_CASE("sets that fill a rectangle are packed into it") {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    const std::vector<LiveBuffer> buffers = perfectPacking(seed, 60, 100, 4096);
    std::vector<uint64_t> offsets;
    size_t work = 20'000'000;
    REQUIRE(fitOffsets(buffers, 8, 4096, work, offsets) == FitResult::Found);
    checkOffsets(buffers, offsets, 8, 4096);
  }
}

TEST_CASE("layouts are as low as can be where greedy ones are not") {
  unsigned lowest = 0;
  for (uint32_t seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    const std::vector<LiveBuffer> buffers = perfectPacking(seed, 60, 100, 4096);
    const uint64_t quick = layoutArena(buffers, 8, 4096, 0).height;
    const ArenaLayout layout = layoutArena(buffers, 8, 4096, ThoroughFit);
    checkOffsets(buffers, layout.offsets, 8, layout.height);
    CHECK(layout.height <= quick);
    CHECK(layout.height == 4096);
    lowest += quick == 4096 ? 1 : 0;
  }
  MESSAGE("greedily ", lowest, " of 10");
  CHECK(lowest < 10);
}

/// Directory with minimalloc's challenging benchmarks, *.CAPACITY.csv of "id,lower,upper,size".
TEST_CASE("the public packing sets are solved at their capacity") {
  const char* directory = std::getenv("TIGRIS_PACKING");
  if (directory == nullptr || !std::filesystem::is_directory(directory)) {
    MESSAGE("skipped: TIGRIS_PACKING names no directory");
    return;
  }
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".csv")
      files.insert(entry.path());
  for (const std::filesystem::path& file : files) {
    CAPTURE(file.filename().string());
    const uint64_t capacity = std::stoull(file.stem().extension().string().substr(1));
    std::vector<LiveBuffer> buffers;
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
      std::replace(line.begin(), line.end(), ',', ' ');
      std::istringstream fields(line);
      uint64_t id = 0, lower = 0, upper = 0, size = 0;
      fields >> id >> lower >> upper >> size;
      REQUIRE(fields);
      buffers.push_back({{}, size, static_cast<uint32_t>(lower), static_cast<uint32_t>(upper - 1)});
    }
    std::vector<uint64_t> offsets;
    size_t work = 20'000'000'000;
    const bool found = fitOffsets(buffers, 1, capacity, work, offsets) == FitResult::Found;
    CHECK(found);
    if (found)
      checkOffsets(buffers, offsets, 1, capacity);
    MESSAGE(file.filename().string(), ": work ", 20'000'000'000 - work);
  }
}
