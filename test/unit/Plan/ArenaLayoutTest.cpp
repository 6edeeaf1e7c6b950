// Offsets never overlap, and greedy placement reaches the bound where it can.
#include "tigris/Plan/Layout/ArenaLayout.h"
#include "tigris/Analysis/MemoryTimeline.h"

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
  }
  CHECK(excess / Rounds < 0.03);
}

TEST_CASE("nothing to place") { CHECK(layoutArena({}, 8, 0).height == 0); }
