// Access rules of windows, and of ops that move elements along an axis.
#include "tigris/Analysis/AccessBuilder.h"

#include "tigris/IR/ShapeInference.h"

namespace tigris {

namespace {

/// Every result must have at least one input; otherwise a part of the result could have none.
bool seesInput(const AxisAccess& axis, int64_t results) {
  const auto sees = [&](int64_t at) { return axis.need({at, at + 1}).size() > 0; };
  // Only transposed windows with gaps can miss all inputs other than at the ends.
  const bool gaps = axis.kind == AxisAccess::Kind::Transposed && axis.reach < axis.stride;
  for (int64_t at = 0; gaps && at < results; ++at)
    if (!sees(at))
      return false;
  return sees(0) && sees(results - 1);
}

} // namespace

/// Rows and columns of a window over [N, H, W, C] or [N, L, C].
bool AccessBuilder::windows() {
  const Expected<Window> window = resolveWindow(op_, graph_);
  if (!window || y_.rank() < 3 || shape(0).rank() != y_.rank())
    return false;
  same(0, 0, 0);
  const size_t spatial = window->kernel.size();
  for (size_t i = 0; i < spatial; ++i) {
    AxisAccess& axis = rule(0, i + 1);
    axis.kind = isTransposed() ? Kind::Transposed : Kind::Window;
    axis.axis = i + 1;
    axis.stride = window->strides[i];
    axis.pad = window->pads[i];
    axis.reach = window->dilations[i] * (window->kernel[i] - 1) + 1;
    if (!seesInput(axis, y_[i + 1]))
      return false;
    axis.results = y_[i + 1];
  }
  return true;
}

bool AccessBuilder::channels() {
  const size_t last = y_.rank() - 1;
  const int64_t in = shape(0)[last];
  const int64_t groups = op_.attrs.getInt("group", 1);
  AxisAccess& axis = rule(0, last);
  if (groups == 1)
    return true;
  axis.axis = last;
  if (!isTransposed() && groups == in) {
    axis.kind = Kind::Divide;
    axis.ratio = y_[last] / in;
    cut(last).kind = axis.ratio == 1 ? BoxAccess::Cut::Kind::Free : BoxAccess::Cut::Kind::Divisor;
    cut(last).groups = in;
    return true;
  }
  axis.kind = Kind::Groups;
  axis.groupIn = in / groups;
  axis.groupOut = y_[last] / groups;
  cut(last).kind = BoxAccess::Cut::Kind::Groups;
  cut(last).groups = groups;
  return true;
}

bool AccessBuilder::pool() {
  same(0, y_.rank() - 1, y_.rank() - 1);
  return windows();
}

bool AccessBuilder::globalPool() {
  const size_t last = shape(0).rank() - 1;
  if (shape(0)[0] != y_[0] || shape(0)[last] != y_.fromBack(0) || y_.rank() < 2)
    return false;
  same(0, 0, 0);
  same(0, last, y_.rank() - 1);
  return true;
}

bool AccessBuilder::resize() {
  const Expected<ResizeTables> tables = resizeTables(op_, shape(0), y_);
  if (!tables)
    return false;
  same(0, 0, 0);
  same(0, y_.rank() - 1, y_.rank() - 1);
  addTable(1, tables->height);
  if (y_.rank() == 4)
    addTable(2, tables->width);
  return true;
}

void AccessBuilder::addTable(size_t axis, const AxisTable& table) {
  AxisAccess& access = rule(0, axis);
  access.kind = Kind::Table;
  access.axis = axis;
  const int64_t in = shape(0)[axis];
  for (const int32_t first : table.first) {
    access.table.push_back({insideAxis(first, in), insideAxis(first + table.taps - 1, in) + 1});
    access.tableHull = hull(access.tableHull, access.table.back());
  }
  access.results = static_cast<int64_t>(access.table.size());
}

bool AccessBuilder::concat() {
  const auto joined = normalizeAxis(op_.attrs.getInt("axis"), y_.rank());
  if (!joined)
    return false;
  never(*joined);
  for (size_t i = 0; i < op_.inputs.size(); ++i)
    for (size_t axis = 0; axis < y_.rank(); ++axis) {
      if (axis == *joined)
        continue;
      same(i, axis, axis);
      if (isConstant(i))
        never(axis);
    }
  return true;
}

bool AccessBuilder::slice() {
  const Expected<std::vector<SliceRange>> ranges = resolveSlice(op_, KnownValues(graph_));
  if (!ranges)
    return false;
  for (size_t axis = 0; axis < y_.rank(); ++axis) {
    AxisAccess& access = rule(0, axis);
    access.kind = Kind::Affine;
    access.axis = axis;
    access.pad = (*ranges)[axis].start;
    access.stride = (*ranges)[axis].count == 1 ? 1 : (*ranges)[axis].step;
  }
  return true;
}

bool AccessBuilder::pad() {
  const Expected<AxisPads> pads = resolvePad(op_, y_.rank());
  if (!pads)
    return false;
  const bool reflects = op_.attrs.getString("mode", "constant") == "reflect";
  for (size_t axis = 0; axis < y_.rank(); ++axis) {
    AxisAccess& access = rule(0, axis);
    access.kind = reflects ? Kind::Reflect : Kind::Clamp;
    access.axis = axis;
    access.pad = pads->before[axis];
  }
  return true;
}

} // namespace tigris
