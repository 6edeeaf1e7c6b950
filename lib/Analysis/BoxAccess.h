// The part of each operand that an op needs for a part of its result. Tiles, halos and streamed
// rows follow from it.
//
// Parts are boxes: one range per axis of the stored tensor. Rules work axis by axis: the range of
// an operand's axis depends on the range of at most one axis of the result. Example: for rows [4,
// 8) of the result, a 3x3 convolution with stride 1 and pads 1 needs rows [3, 9) of its input and
// all input channels.
//
// The runtime implements the same rules (runtime/src/access/access.c). Tests compare the traffic
// and peaks predicted from these rules with what the runtime counts.
#pragma once

#include "tigris/IR/Graph.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

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

/// How the range of an operand's axis depends on the result's box.
struct AxisAccess {
  enum class Kind : uint8_t {
    /// The whole axis, for every part of the result.
    All,
    /// The range of the result's axis.
    Same,
    /// Sliding windows with `stride`, `pad` before the first element, and `reach` = dilation *
    /// (kernel - 1) + 1. The windows of all `results` together take the whole axis, including
    /// elements that no window reaches, so that rows stay contiguous.
    Window,
    /// Transposed windows: the inputs whose windows intersect the range.
    Transposed,
    /// The rows listed in a resampling table.
    Table,
    /// Element start + i * step.
    Affine,
    /// Element i - before, clamped to the axis: constant and edge padding.
    Clamp,
    /// The same, with positions outside reflected at the border.
    Reflect,
    /// Input channel o / ratio of a depthwise convolution.
    Divide,
    /// All input channels of the groups of the output channels.
    Groups
  };
  Kind kind = Kind::All;
  /// Axis of the result on which the range depends.
  size_t axis = 0;
  int64_t size = 1;
  int64_t stride = 1;
  int64_t pad = 0;
  int64_t reach = 1;
  int64_t results = 0;
  int64_t ratio = 1;
  /// Groups: input and output channels per group.
  int64_t groupIn = 1;
  int64_t groupOut = 1;
  /// Table: smallest and largest source index per output position.
  std::vector<Range> table;
  /// Table: the range that all `results` positions need together.
  Range tableHull;

  Range need(Range result) const;
  /// Number of indices of the operand's axis that at least one of the results [0, count) needs.
  int64_t neededBy(int64_t count) const;

private:
  /// Elements of the first `count` windows, which do not overlap.
  int64_t windowsApart(int64_t count) const;
};

/// The access rules of one op.
class BoxAccess {
public:
  /// nullopt if the op runs on whole tensors only: it has no rules, a rank outside 1..4, more than
  /// one result, or padding that would leave a result without any input.
  static std::optional<BoxAccess> make(const Graph& graph, const Op& op);

  /// The box of operand `input`, an activation, that a box of the result needs.
  Box need(size_t input, const Box& result) const;
  /// Elements of operand `input`, an activation, that the whole result needs. They are fewer than
  /// the elements of its box if windows or steps leave gaps.
  uint64_t neededElements(size_t input, const Box& whole) const;
  /// Whether the result may be split into `parts` along the axis such that every part is an op of
  /// its own.
  bool canCut(size_t axis, int64_t parts) const;

  /// False for a box with a part of an axis that must stay whole, or with parts of several groups.
  bool allows(const Box& result) const;

private:
  struct Cut {
    enum class Kind : uint8_t { Never, Free, Divisor, Groups } kind = Kind::Free;
    int64_t size = 1;
    int64_t groups = 1;
    bool allows(Range part) const;
  };
  std::vector<std::array<AxisAccess, Box::MaxRank>> inputs_;
  std::array<Cut, Box::MaxRank> cuts_;

  friend class AccessBuilder;
};

/// Whether the op only moves bytes. If its tensors do not fit the fast arena, it runs directly in
/// slow memory: it reads and writes every byte once, as loads and spills would.
bool onlyMovesBytes(OpKind kind);

} // namespace tigris
