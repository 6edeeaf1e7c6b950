// Boxes of tensors.
#include "tigris/Analysis/Box.h"

namespace tigris {

Box wholeBox(const Shape& shape) {
  Box box;
  for (size_t axis = 0; axis < shape.rank(); ++axis)
    box.axes.at(axis) = {0, shape[axis]};
  return box;
}

Box emptyBox(const Shape& shape) {
  Box box;
  for (size_t axis = 0; axis < shape.rank(); ++axis)
    box.axes.at(axis) = {0, 0};
  return box;
}

Box hull(const Box& a, const Box& b) {
  if (a.empty())
    return b;
  if (b.empty())
    return a;
  Box box;
  for (size_t axis = 0; axis < Box::MaxRank; ++axis)
    box.axes[axis] = hull(a.axes[axis], b.axes[axis]);
  return box;
}

} // namespace tigris
