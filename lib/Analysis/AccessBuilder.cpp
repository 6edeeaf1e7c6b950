// What all access rules start from, and the choice of the rule.
#include "tigris/Analysis/AccessBuilder.h"

#include <algorithm>

namespace tigris {

/// A result whose box is that of the part.
bool AccessBuilder::addResult(TensorId output) {
  if (!output)
    return false;
  BoxAccess::Axes& axes = access_.results_.emplace_back();
  const Shape& result = graph_.tensor(output).shape;
  for (size_t axis = 0; axis < result.rank() && axis < axes.size(); ++axis) {
    axes.at(axis).size = result[axis];
    axes.at(axis).kind = Kind::Same;
    axes.at(axis).axis = axis;
  }
  return true;
}

/// Constants are stored in flash as a whole: only a part of the first axis of size > 1 is
/// contiguous.
void AccessBuilder::keepInOnePiece(size_t input) {
  const Shape& constant = shape(input);
  size_t leading = 0;
  while (leading < constant.rank() && constant[leading] == 1)
    ++leading;
  for (size_t axis = leading + 1; axis < constant.rank() && axis < Box::MaxRank; ++axis)
    if (rule(input, axis).kind != Kind::All)
      never(rule(input, axis).axis);
}

/// Applies the rule that Ops.def names. Returns false if every box of the result needs whole
/// operands.
bool AccessBuilder::addRules() {
  using Rule = bool (AccessBuilder::*)();
  static constexpr Rule Rules[] = {
#define TIGRIS_OP(kind, category, types, operands, results, attributes, opClass, shape, value,     \
                  order, box, ...)                                                                 \
  &AccessBuilder::box,
#include "tigris/IR/Ops.def"
      &AccessBuilder::whole,
  };
  return (this->*Rules[static_cast<size_t>(op_.kind)])();
}

/// Every axis of an operand is needed as a whole, unless a rule says otherwise.
bool AccessBuilder::addInputs() {
  for (size_t i = 0; i < op_.inputs.size(); ++i) {
    BoxAccess::Axes& all = access_.inputs_.emplace_back();
    if (!op_.input(i))
      continue;
    if (!isConstant(i) && !fits(shape(i)))
      return false;
    for (size_t axis = 0; axis < shape(i).rank() && axis < all.size(); ++axis)
      all.at(axis).size = shape(i)[axis];
  }
  return true;
}

/// Whether the box of the part is that of all results, or a rule sets those of the others.
bool AccessBuilder::hasSimilarResults() const {
  return opInfo(op_.kind).opClass == OpClass::Recurrent ||
         std::all_of(op_.outputs.begin(), op_.outputs.end(),
                     [&](TensorId id) { return id && graph_.tensor(id).shape == y_; });
}

std::optional<BoxAccess> AccessBuilder::build() {
  if (!fits(y_) || !hasSimilarResults() || !addInputs())
    return std::nullopt;
  access_.space_ = wholeBox(y_);
  for (size_t axis = 0; axis < y_.rank(); ++axis)
    cut(axis).size = y_[axis];
  for (const TensorId output : op_.outputs)
    if (!addResult(output))
      return std::nullopt;
  if (!addRules())
    return std::nullopt;
  if (op_.input(0) && isConstant(0))
    keepInOnePiece(0);
  return std::move(access_);
}

} // namespace tigris
