// Which part of its operands an op needs for a part of its result: what tiles, halos and strips follow from.
//
// Parts are boxes, one range per axis of the stored tensor. Every rule works axis by axis: the range of an
// operand's axis follows from the range of at most one axis of the result. The runtime has the same rules
// (runtime/src/access.c); traffic and peaks predicted from these are compared with what it counts.
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

/// The smallest range that holds both; an empty range adds nothing.
inline Range hull(Range a, Range b) {
  if (a.size() == 0)
    return b;
  if (b.size() == 0)
    return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}
/// Part `index` of `size` elements cut into `parts`.
inline Range partOf(int64_t size, int64_t parts, int64_t index) {
  return {index * size / parts, (index + 1) * size / parts};
}

/// A box of a tensor of rank 1 to 4; axes from the rank on are [0, 1).
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

/// How the range of one axis of an operand follows from the result's box.
struct AxisAccess {
  enum class Kind : uint8_t {
    /// All of it, whatever the result's part.
    All,
    /// The range of the result's axis.
    Same,
    /// Sliding windows: `stride`, `pad` before the first element, `reach` = dilation * (kernel - 1) + 1. All
    /// `results` together take the whole axis, with what no window reaches: rows stay in one piece.
    Window,
    /// Transposed windows: the inputs whose windows touch the range.
    Transposed,
    /// The rows a resampling table names.
    Table,
    /// Element start + i * step.
    Affine,
    /// Element i - before, held inside the axis: constant and edge padding.
    Clamp,
    /// The same with positions outside reflected at the border.
    Reflect,
    /// Input channel o / ratio of a depthwise convolution.
    Divide,
    /// All input channels of the groups that the output channels belong to.
    Groups
  };
  Kind kind = Kind::All;
  /// Axis of the result the range depends on.
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

  Range need(Range result) const;
};

/// The access rules of one op, resolved once.
class BoxAccess {
public:
  /// nullopt when the op runs on whole tensors only: it has no rules, a rank outside 1..4, more than one
  /// result, or padding that would leave a result without any input to look at.
  static std::optional<BoxAccess> make(const Graph& graph, const Op& op);

  /// The box of operand `input`, an activation, for a box of the result.
  Box need(size_t input, const Box& result) const;
  /// True when the result may be cut into `parts` along the axis and every part is an op of its own.
  bool canCut(size_t axis, int64_t parts) const;

  /// False for a box that holds a part of an axis which must stay whole, or parts of several groups.
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

/// True for ops that only move bytes. Where whole tensors do not fit the fast arena they run directly
/// in slow memory: they read and write every byte once, as loads and spills would.
bool onlyMovesBytes(OpKind kind);

} // namespace tigris
