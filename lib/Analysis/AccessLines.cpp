// Access rules of broadcasts, products, and ops on whole axes.
#include "tigris/Analysis/AccessBuilder.h"

namespace tigris {

/// The first `count` operands broadcast to the result; the others are per-channel constants.
bool AccessBuilder::broadcast(size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const size_t rank = shape(i).rank();
    for (size_t axis = 0; axis < rank; ++axis)
      if (shape(i)[axis] != 1)
        same(i, axis, y_.rank() - rank + axis);
    if (isConstant(i))
      keepInOnePiece(i);
  }
  return true;
}

/// The axis is removed, or has one index.
bool AccessBuilder::argMax() {
  const size_t rank = shape(0).rank();
  const auto axis = normalizeAxis(op_.attrs.getInt("axis"), rank);
  if (!axis)
    return false;
  std::vector<bool> reduced(rank, false);
  reduced[*axis] = true;
  return reduce(reduced);
}

bool AccessBuilder::reduction() {
  const size_t rank = shape(0).rank();
  std::vector<bool> reduced(rank, op_.attrs.getInts("axes").empty());
  for (const int64_t given : op_.attrs.getInts("axes")) {
    const auto axis = normalizeAxis(given, rank);
    if (!axis)
      return false;
    reduced[*axis] = true;
  }
  return reduce(reduced);
}

bool AccessBuilder::reduce(const std::vector<bool>& reduced) {
  const size_t rank = reduced.size();
  const bool keeps = y_.rank() == rank;
  size_t result = 0;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (!reduced[axis])
      same(0, axis, result);
    if (keeps || !reduced[axis])
      ++result;
  }
  return true;
}

/// Whole lines along `axis`, or everything from `axis` on.
bool AccessBuilder::wholeAxes(size_t count) {
  const auto first = normalizeAxis(op_.attrs.getInt("axis", -1), y_.rank());
  if (!first)
    return false;
  for (size_t axis = 0; axis < y_.rank(); ++axis)
    if (axis >= *first && axis < *first + count)
      never(axis);
    else
      same(0, axis, axis);
  return true;
}

bool AccessBuilder::product() {
  const size_t last = y_.rank() - 1;
  const Shape& a = shape(0);
  const Shape& b = shape(1);
  if (op_.attrs.getInt("transA") != 0 || a.rank() < 2 || b.rank() < 2)
    return false;
  alignLeading(0, a.rank() - 1, last);
  if (isConstant(1)) {
    if (b.rank() == 2)
      return a.rank() == y_.rank();
    // A constant is stored once, so a part of its columns would not be contiguous.
    for (size_t axis = 0; axis + 2 < y_.rank(); ++axis)
      never(axis);
    never(last);
    return true;
  }
  const bool transposed = op_.attrs.getInt("transB") != 0;
  alignLeading(1, b.rank() - 2, y_.rank() - 2);
  same(1, transposed ? b.rank() - 2 : b.rank() - 1, last);
  return true;
}

/// The first `count` axes of an operand follow the first `resultCount` of the result, aligned at
/// their ends.
void AccessBuilder::alignLeading(size_t input, size_t count, size_t resultCount) {
  for (size_t i = 0; i < count; ++i) {
    const size_t axis = count - 1 - i;
    if (resultCount > i && shape(input)[axis] != 1)
      same(input, axis, resultCount - 1 - i);
  }
}

} // namespace tigris
