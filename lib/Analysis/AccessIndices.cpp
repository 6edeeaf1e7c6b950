// Access rules of ops that read or write at indices.
#include "tigris/Analysis/AccessBuilder.h"

namespace tigris {

/// Gather: a table of indices along one axis, which stays whole.
bool AccessBuilder::gather() {
  const auto axis = normalizeAxis(op_.attrs.getInt("axis"), shape(0).rank());
  if (!axis || !isConstant(1) || shape(1).rank() != 1)
    return false;
  never(*axis);
  for (size_t other = 0; other < y_.rank(); ++other)
    if (other != *axis)
      same(0, other, other);
  return true;
}

/// Whether all operands of an op with indices have boxes. Indices that are also another operand
/// would need two.
bool AccessBuilder::hasIndices() const {
  size_t uses = 0;
  for (size_t i = 0; i < op_.inputs.size(); ++i) {
    uses += op_.input(i) == op_.input(1) ? 1 : 0;
    if (!fits(shape(i)))
      return false;
  }
  return uses == 1;
}

void AccessBuilder::keepConstantsInOnePiece() {
  for (size_t input = 1; input < op_.inputs.size(); ++input)
    if (isConstant(input))
      keepInOnePiece(input);
}

/// Lines of data along `axis` are whole. The result of a gather is cut there, too. On the other
/// axes all operands agree with the result, or nothing is cut.
bool AccessBuilder::byElement(bool gathers) {
  const auto line = normalizeAxis(op_.attrs.getInt("axis"), y_.rank());
  if (!line || !hasIndices())
    return false;
  for (size_t axis = 0; axis < y_.rank(); ++axis) {
    if (axis == *line && gathers)
      same(1, axis, axis);
    else if (axis == *line || shape(0)[axis] != shape(1)[axis])
      never(axis);
    else
      for (size_t i = 0; i < op_.inputs.size(); ++i)
        same(i, axis, axis);
  }
  keepConstantsInOnePiece();
  return true;
}

/// The axes of an operand from `first` on follow those of the result from `resultFirst` on.
void AccessBuilder::sameBlocks(size_t input, size_t first, size_t resultFirst) {
  for (size_t axis = first; axis < shape(input).rank(); ++axis)
    same(input, axis, resultFirst + axis - first);
}

/// Each tuple of indices selects a block of data in its batch.
bool AccessBuilder::gatherNd() {
  const Shape& indices = shape(1);
  const auto batch = static_cast<size_t>(op_.attrs.getInt("batch_dims"));
  const size_t tuples = indices.rank() - 1;
  if (!hasIndices() || batch > tuples)
    return false;
  for (size_t axis = 0; axis < batch; ++axis)
    same(0, axis, axis);
  for (size_t axis = 0; axis < tuples; ++axis)
    same(1, axis, axis);
  sameBlocks(0, batch + static_cast<size_t>(indices.fromBack(0)), tuples);
  keepConstantsInOnePiece();
  return true;
}

/// Each tuple of indices selects a block of the result, which is cut inside the blocks.
bool AccessBuilder::scatterNd() {
  const auto depth = static_cast<size_t>(shape(1).fromBack(0));
  if (!hasIndices())
    return false;
  for (size_t axis = 0; axis < depth; ++axis)
    never(axis);
  sameBlocks(0, depth, depth);
  sameBlocks(2, shape(1).rank() - 1, depth);
  keepConstantsInOnePiece();
  return true;
}

} // namespace tigris
