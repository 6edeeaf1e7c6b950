// Clearances hold in every layout, and tensors overlap only where allowed.
#include "tigris/Plan/Layout/SpacedLayout.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace tigris;

namespace {

void checkLayout(const std::vector<LiveBuffer>& buffers, const Clearances& clearances,
                 const ArenaLayout& layout, uint64_t align) {
  uint64_t height = 0;
  REQUIRE(layout.offsets.size() == buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    CHECK(layout.offsets[i] % align == 0);
    height = std::max(height, layout.offsets[i] + buffers[i].bytes);
    for (size_t k = 0; k < i; ++k) {
      const uint64_t a = layout.offsets[i];
      const uint64_t b = layout.offsets[k];
      const bool isFree = clearances.of(i, k) == 0 && clearances.of(k, i) == 0;
      CHECK((isFree || a + clearances.of(i, k) <= b || b + clearances.of(k, i) <= a));
    }
  }
  CHECK(layout.height == height);
}

} // namespace

TEST_CASE("spaced layout: the later of two may reach into the earlier one") {
  const std::vector<LiveBuffer> buffers = {{{}, 30, 0, 1}, {{}, 30, 2, 3}, {{}, 30, 4, 5}};
  Clearances clearances(3);
  for (size_t early = 0; early < 3; ++early)
    for (size_t late = early + 1; late < 3; ++late) {
      clearances.set(early, late, 30);
      clearances.set(late, early, 20);
    }
  const ArenaLayout layout = layOutSpaced(buffers, clearances, 1, 0);
  checkLayout(buffers, clearances, layout, 1);
  CHECK(layout.offsets == std::vector<uint64_t>{40, 20, 0});
  CHECK(layout.height == 70);
  // Rounded up to the alignment of addresses.
  const ArenaLayout aligned = layOutSpaced(buffers, clearances, 16, 0);
  checkLayout(buffers, clearances, aligned, 16);
  CHECK(aligned.height == 64 + 30);
}

TEST_CASE(
    "spaced layout: what needs no clearance lies anywhere, and nothing to place is no problem") {
  const std::vector<LiveBuffer> buffers = {{{}, 30, 0, 1}, {{}, 20, 2, 3}};
  CHECK(layOutSpaced(buffers, Clearances(2), 4, 0).height == 30);
  CHECK(layOutSpaced({}, Clearances(0), 4, 0).height == 0);
}

TEST_CASE("spaced layout: random clearances are kept, and layouts are the same every time") {
  std::mt19937 random(11);
  for (int round = 0; round < 40; ++round) {
    std::vector<LiveBuffer> buffers;
    const size_t count = 1 + random() % 20;
    for (size_t i = 0; i < count; ++i) {
      const auto birth = static_cast<uint32_t>(random() % 20);
      buffers.push_back(
          {{}, 1 + random() % 500, birth, birth + static_cast<uint32_t>(random() % 4)});
    }
    Clearances clearances(count);
    for (size_t i = 0; i < count; ++i)
      for (size_t k = 0; k < count; ++k)
        if (i != k)
          clearances.set(i, k, random() % (buffers[i].bytes + 1));
    const uint64_t align = uint64_t{1} << (random() % 5);
    const ArenaLayout layout = layOutSpaced(buffers, clearances, align, 0);
    checkLayout(buffers, clearances, layout, align);
    CHECK(layOutSpaced(buffers, clearances, align, 0).offsets == layout.offsets);

    // What is known to be refused after one question is what others would refuse.
    for (const bool isQuick : {false, true}) {
      const auto heightFor = [&](uint64_t enough) {
        return layOutSpaced(buffers, clearances, align, 0, enough, isQuick).height;
      };
      for (const uint64_t part : {2, 4, 12, 20}) {
        const uint64_t enough = layout.height - layout.height / part;
        const uint64_t height = heightFor(enough);
        if (height <= enough)
          continue;
        const uint64_t refused = mostRefused(height, enough, isQuick);
        CHECK(refused >= enough);
        CHECK(refused < height);
        CHECK(heightFor(refused) > refused);
        CHECK(heightFor(enough + (refused - enough) / 2) > enough + (refused - enough) / 2);
      }
    }
  }
}
