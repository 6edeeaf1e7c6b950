// Boxes of parts, and the cuts that are possible.
#include "tigris/Analysis/BoxAccess.h"

#include "tigris/Analysis/AccessBuilder.h"

#include <algorithm>

namespace tigris {

bool onlyMovesBytes(OpKind kind) { return opInfo(kind).opClass == OpClass::Movement; }

std::optional<BoxAccess> BoxAccess::make(const Graph& graph, const Op& op) {
  return AccessBuilder(graph, op).build();
}

Box BoxAccess::apply(const Axes& axes, const Box& part) {
  Box box;
  const bool nothing = part.empty();
  for (size_t axis = 0; axis < Box::MaxRank; ++axis) {
    const AxisAccess& access = axes.at(axis);
    box.axes.at(axis) = nothing ? Range{0, 0} : access.need(part.axes.at(access.axis));
  }
  return box;
}

Box BoxAccess::need(size_t input, const Box& part) const { return apply(inputs_[input], part); }

Box BoxAccess::made(size_t result, const Box& part) const { return apply(results_[result], part); }

bool BoxAccess::isCutAlong(size_t result, size_t axis) const {
  const Axes& axes = results_[result];
  return std::any_of(axes.begin(), axes.end(), [&](const AxisAccess& access) {
    return access.kind == AxisAccess::Kind::Same && access.axis == axis;
  });
}

Box BoxAccess::part(const Counts& counts, const Counts& index) const {
  Box part = space_;
  for (size_t axis = Box::MaxRank; axis-- > 0;) {
    // The direction is set before the steps; the second one is reversed.
    const bool fromEnd =
        carriesState_ && axis == StepAxis && (isReversed_ || part.axes[DirectionAxis].begin != 0);
    part.axes.at(axis) = partOf(space_.axes.at(axis).size(), counts.at(axis),
                                fromEnd ? counts.at(axis) - 1 - index.at(axis) : index.at(axis));
  }
  return part;
}

std::array<size_t, Box::MaxRank> BoxAccess::order() const {
  using Order = std::array<size_t, Box::MaxRank>;
  return carriesState_ ? Order{DirectionAxis, BatchAxis, UnitAxis, StepAxis} : Order{0, 1, 2, 3};
}

bool BoxAccess::canCutTogether(const Counts& counts) const {
  return !carriesState_ || counts[StepAxis] == 1 ||
         counts[DirectionAxis] == space_.axes[DirectionAxis].size();
}

uint64_t BoxAccess::neededElements(size_t input, const Box& whole) const {
  uint64_t elements = 1;
  for (const AxisAccess& access : inputs_[input])
    elements *= static_cast<uint64_t>(access.neededBy(whole.axes[access.axis].end));
  return elements;
}

bool BoxAccess::Cut::allows(Range part) const {
  switch (kind) {
  case Kind::Never:
    return part.size() == size;
  case Kind::Free:
    return part.size() == size || part.size() >= least;
  case Kind::Divisor:
  case Kind::Groups: {
    const int64_t group = size / groups;
    return part.begin / group == (part.end - 1) / group ||
           (part.begin % group == 0 && part.end % group == 0);
  }
  }
  return false;
}

bool BoxAccess::allows(const Box& part) const {
  for (size_t axis = 0; axis < Box::MaxRank; ++axis)
    if (!cuts_[axis].allows(part.axes[axis]))
      return false;
  return true;
}

bool BoxAccess::canCut(size_t axis, int64_t parts) const {
  const Cut& rule = cuts_.at(axis);
  if (parts == 1)
    return true;
  if (parts < 1 || parts > rule.size)
    return false;
  switch (rule.kind) {
  case Cut::Kind::Never:
    return false;
  case Cut::Kind::Free:
    return rule.size / parts >= rule.least;
  case Cut::Kind::Divisor:
    return rule.groups % parts == 0;
  case Cut::Kind::Groups:
    return rule.groups % parts == 0 || (parts % rule.groups == 0 && rule.size % parts == 0);
  }
  return false;
}

} // namespace tigris
