// Boxes: parts of stored tensors with one range per axis.
#pragma once

#include "tigris/IR/Shape.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tigris {

/// Indices [begin, end) of one axis.
struct Range {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t size() const { return end > begin ? end - begin : 0; }
  bool operator==(const Range&) const = default;
};

/// The smallest range that contains both; an empty range adds nothing.
inline Range hull(Range a, Range b) {
  if (a.size() == 0)
    return b;
  if (b.size() == 0)
    return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}
/// Part `index` of `size` elements split into `parts`.
inline Range partOf(int64_t size, int64_t parts, int64_t index) {
  return {index * size / parts, (index + 1) * size / parts};
}

/// A box of a tensor of rank 1 to 4; axes beyond the rank are [0, 1).
struct Box {
  static constexpr size_t MaxRank = 4;
  std::array<Range, MaxRank> axes = {Range{0, 1}, Range{0, 1}, Range{0, 1}, Range{0, 1}};

  int64_t elements() const {
    int64_t count = 1;
    for (const Range& range : axes)
      count *= range.size();
    return count;
  }
  bool empty() const {
    return axes[0].size() == 0 || axes[1].size() == 0 || axes[2].size() == 0 || axes[3].size() == 0;
  }
  bool operator==(const Box&) const = default;
};

Box wholeBox(const Shape& shape);
Box emptyBox(const Shape& shape);
Box hull(const Box& a, const Box& b);

} // namespace tigris
