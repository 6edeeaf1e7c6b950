// The range of an operand's axis that a range of the result's axis needs.
#pragma once

#include "tigris/Analysis/Box.h"

#include <vector>

namespace tigris {

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

} // namespace tigris
