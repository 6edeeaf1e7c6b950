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
