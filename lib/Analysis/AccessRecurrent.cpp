// Access rules of recurrent layers.
#include "tigris/Analysis/AccessBuilder.h"

namespace tigris {

/// The hidden axis stays whole, because every unit needs the whole state. A part of Y keeps the
/// state in the row of its last step; its first row must be another one.
bool AccessBuilder::recurrent() {
  const int64_t steps = shape(0)[0];
  const bool keepsLast = y_[StepAxis] != steps;
  access_.carriesState_ = true;
  access_.isReversed_ = op_.attrs.getString("direction") == "reverse";
  access_.space_.axes[StepAxis] = {0, steps};
  cut(StepAxis).size = steps;
  cut(StepAxis).least = keepsLast ? 1 : 2;
  never(UnitAxis);
  same(0, 0, StepAxis);
  same(0, 1, BatchAxis);
  for (size_t i = 1; i < op_.inputs.size(); ++i) {
    if (!op_.input(i))
      continue;
    same(i, 0, DirectionAxis);
    if (i == 4 || i == 5) // initial states
      same(i, 1, BatchAxis);
    if (isConstant(i))
      keepInOnePiece(i);
  }
  if (keepsLast)
    access_.results_[0][StepAxis].kind = Kind::All;
  for (size_t i = 1; i < op_.outputs.size(); ++i)
    extraResult(access_.results_[i]);
  return true;
}

/// The cell of an LSTM has directions, batch and units; the memory of a GRU is always whole.
void AccessBuilder::extraResult(BoxAccess::Axes& axes) const {
  for (AxisAccess& axis : axes)
    axis.kind = Kind::All;
  if (op_.kind == OpKind::GRU)
    return;
  axes[0].kind = axes[1].kind = Kind::Same;
  axes[0].axis = DirectionAxis;
  axes[1].axis = BatchAxis;
}

} // namespace tigris
