// Offsets never overlap, and greedy placement reaches the bound where it can.
#include "tigris/Plan/Layout/ArenaLayout.h"
#include "tigris/Analysis/MemoryTimeline.h"
#include "tigris/Plan/Layout/Overlaps.h"

#include <doctest/doctest.h>

#include <random>

using namespace tigris;

namespace {

void checkLayout(const std::vector<LiveBuffer>& buffers, const ArenaLayout& layout,
                 uint64_t align) {
  uint64_t height = 0;
  REQUIRE(layout.offsets.size() == buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    CHECK(layout.offsets[i] % align == 0);
    height = std::max(height, layout.offsets[i] + buffers[i].bytes);
    for (size_t k = 0; k < i; ++k)
      if (buffers[i].overlaps(buffers[k]))
        CHECK((layout.offsets[i] + buffers[i].bytes <= layout.offsets[k] ||
               layout.offsets[k] + buffers[k].bytes <= layout.offsets[i]));
  }
  CHECK(layout.height == height);
}

} // namespace

TEST_CASE("a chain alternates between two places") {
  const std::vector<LiveBuffer> buffers = {
      {{}, 100, 0, 1}, {{}, 60, 1, 2}, {{}, 80, 2, 3}, {{}, 40, 3, 4}};
  const uint64_t bound = computeTimeline(buffers, 5, 4).bound;
  const ArenaLayout layout = layoutArena(buffers, 4, bound);
  checkLayout(buffers, layout, 4);
  CHECK(layout.height == 160);
}

TEST_CASE("the odd sizes of an alignment do not collide") {
  const std::vector<LiveBuffer> buffers = {{{}, 3, 0, 2}, {{}, 5, 0, 2}, {{}, 7, 1, 2}};
  const ArenaLayout layout = layoutArena(buffers, 32, 0);
  checkLayout(buffers, layout, 32);
  CHECK(layout.height == 64 + 3);
}

TEST_CASE("random lifetimes: valid, never below the bound, close to it, and repeatable") {
  std::mt19937 random(7);
  double excess = 0;
  constexpr int Rounds = 60;
  for (int round = 0; round < Rounds; ++round) {
    std::vector<LiveBuffer> buffers;
    const size_t count = 2 + random() % 60;
    for (size_t i = 0; i < count; ++i) {
      const auto birth = static_cast<uint32_t>(random() % 40);
      const auto death = birth + static_cast<uint32_t>(random() % 8);
      buffers.push_back({{}, 1 + random() % 5000, birth, death});
    }
    const uint64_t align = uint64_t{1} << (random() % 6);
    const MemoryTimeline timeline = computeTimeline(buffers, 50, align);
    const ArenaLayout layout = layoutArena(buffers, align, timeline.bound);
    checkLayout(buffers, layout, align);
    CHECK(layout.height >= timeline.bound);
    CHECK(layoutArena(buffers, align, timeline.bound).offsets == layout.offsets);
    excess += static_cast<double>(layout.height) / static_cast<double>(timeline.bound) - 1;
    for (const uint64_t budget :
         {timeline.bound, layout.height - 1, layout.height, layout.height * 2}) {
      if (budget < timeline.bound)
        continue;
      const ArenaLayout within = layoutArenaWithin(buffers, align, timeline.bound, budget);
      checkLayout(buffers, within, align);
      CHECK((within.height <= budget) == (layout.height <= budget));
    }
  }
  CHECK(excess / Rounds < 0.03);
}

TEST_CASE("nothing to place") { CHECK(layoutArena({}, 8, 0).height == 0); }

namespace {

std::vector<LiveBuffer> randomLives(uint32_t seed, size_t count, uint32_t steps, uint32_t longest) {
  std::mt19937 random(seed);
  std::vector<LiveBuffer> buffers;
  for (size_t i = 0; i < count; ++i) {
    const auto birth = static_cast<uint32_t>(random() % steps);
    buffers.push_back(
        {{}, 1 + random() % 100, birth, std::min<uint32_t>(birth + random() % longest, steps - 1)});
  }
  return buffers;
}

} // namespace

TEST_CASE("overlaps are all pairs that share a step") {
  const std::vector<LiveBuffer> buffers = randomLives(3, 200, 50, 20);
  size_t pairs = 0;
  const std::optional<Overlaps> overlaps = Overlaps::find(buffers, 200 * 200);
  REQUIRE(overlaps);
  for (size_t a = 0; a < buffers.size(); ++a) {
    std::vector<uint32_t> expected;
    for (uint32_t b = 0; b < buffers.size(); ++b)
      if (a != b && buffers[a].overlaps(buffers[b]))
        expected.push_back(b);
    const std::span<const uint32_t> found = overlaps->of(a);
    CHECK(std::vector<uint32_t>(found.begin(), found.end()) == expected);
    pairs += expected.size();
  }
  CHECK(Overlaps::find(buffers, pairs / 2));
  CHECK(!Overlaps::find(buffers, pairs / 2 - 1));
}

TEST_CASE("short lifetimes in many steps: valid layouts from listed overlaps") {
  const std::vector<LiveBuffer> buffers = randomLives(5, 400, 300, 8);
  const uint64_t bound = computeTimeline(buffers, 300, 16).bound;
  checkLayout(buffers, layoutArena(buffers, 16, bound), 16);
}

TEST_CASE("a chain of 60,000 buffers is laid out without comparing all pairs") {
  // A minute where each attempt compares all pairs.
  std::vector<LiveBuffer> buffers;
  for (uint32_t i = 0; i < 60'000; ++i)
    buffers.push_back({{}, 16 + i * 7919U % 1000, i, i + 1 + i % 3});
  const uint64_t bound = computeTimeline(buffers, 60'003, 16).bound;
  const ArenaLayout layout = layoutArena(buffers, 16, bound);
  CHECK(layout.height >= bound);
  CHECK(layout.height < 4 * bound);
}
