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

#include "tigris/Analysis/AxisAccess.h"
#include "tigris/IR/Graph.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tigris {

/// The access rules of one op.
///
/// The parts of an op are boxes of its space. The space is that of the result, except for recurrent
/// layers: [steps, directions, batch, hidden], also if only the last state is a result. Their parts
/// along the steps are computed one after the other, and each continues from the state that the
/// previous one has left in the buffers of the results.
class BoxAccess {
public:
  using Counts = std::array<int64_t, Box::MaxRank>;

  /// nullopt if the op runs on whole tensors only: it has no rules, a rank outside 1..4, results of
  /// different shapes without being recurrent, or padding that would leave a result without any
  /// input.
  static std::optional<BoxAccess> make(const Graph& graph, const Op& op);

  const Box& space() const { return space_; }
  /// Part `index` of the space, cut into `counts` parts. The parts of a reversed sequence are
  /// numbered from its end.
  Box part(const Counts& counts, const Counts& index) const;
  /// Whether parts along axis 0 continue from state.
  bool carriesState() const { return carriesState_; }
  /// Whether a stage that computes parts of this op has no other op.
  bool runsAlone() const { return carriesState_ || results_.size() > 1; }
  /// The axes in the order in which parts are computed, the one that varies fastest last.
  std::array<size_t, Box::MaxRank> order() const;
  /// The box of result `result` for a part of the space.
  Box made(size_t result, const Box& part) const;
  /// Whether that box depends on the part's range along an axis. If not, it is complete after the
  /// last part along the axis.
  bool isCutAlong(size_t result, size_t axis) const;

  /// The box of operand `input`, an activation, that a part of the space needs.
  Box need(size_t input, const Box& part) const;
  /// Elements of operand `input`, an activation, that the whole result needs. They are fewer than
  /// the elements of its box if windows or steps leave gaps.
  uint64_t neededElements(size_t input, const Box& whole) const;
  /// Whether the space may be split into `parts` along the axis such that every part is an op of
  /// its own.
  bool canCut(size_t axis, int64_t parts) const;
  /// Whether these cuts are possible together, each of them being possible: the directions of a
  /// recurrent layer have opposite orders of steps.
  bool canCutTogether(const Counts& counts) const;

  /// False for a box with a part of an axis that must stay whole, or with parts of several groups.
  bool allows(const Box& part) const;

private:
  using Axes = std::array<AxisAccess, Box::MaxRank>;
  struct Cut {
    enum class Kind : uint8_t { Never, Free, Divisor, Groups } kind = Kind::Free;
    int64_t size = 1;
    int64_t groups = 1;
    /// Free: indices of the smallest part, unless there is only one.
    int64_t least = 1;
    bool allows(Range part) const;
  };
  static Box apply(const Axes& axes, const Box& part);

  Box space_;
  std::vector<Axes> inputs_;
  std::vector<Axes> results_;
  std::array<Cut, Box::MaxRank> cuts_;
  bool carriesState_ = false;
  /// The direction of the (first) sequence.
  bool isReversed_ = false;

  friend class AccessBuilder;
};

/// Whether the op only moves bytes. If its tensors do not fit the fast arena, it runs directly in
/// slow memory: it reads and writes every byte once, as loads and spills would.
bool onlyMovesBytes(OpKind kind);

} // namespace tigris
