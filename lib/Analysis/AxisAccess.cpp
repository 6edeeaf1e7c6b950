// What each kind of rule needs along one axis.
#include "tigris/Analysis/AxisAccess.h"

#include "tigris/Support/MathUtils.h"

#include <algorithm>

namespace tigris {

namespace {

/// Indices that are in any of the ranges.
int64_t covered(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  int64_t count = 0;
  int64_t end = 0;
  for (const Range& range : ranges) {
    count += std::max<int64_t>(0, range.end - std::max(end, range.begin));
    end = std::max(end, range.end);
  }
  return count;
}

} // namespace

Range AxisAccess::need(Range result) const {
  const Range all = {0, size};
  const auto clipped = [&](int64_t begin, int64_t end) {
    return Range{std::max<int64_t>(begin, 0), std::min(end, size)};
  };
  if (result.size() == 0)
    return {0, 0};
  switch (kind) {
  case Kind::All:
    return all;
  case Kind::Same:
    return result;
  case Kind::Window:
    if (result.size() == results)
      return all;
    return clipped(result.begin * stride - pad, (result.end - 1) * stride - pad + reach);
  case Kind::Transposed:
    return clipped(ceilDiv(result.begin + pad - reach + 1, stride),
                   floorDiv(result.end - 1 + pad, stride) + 1);
  case Kind::Table: {
    if (result.size() == results)
      return tableHull;
    Range range = table[static_cast<size_t>(result.begin)];
    for (int64_t i = result.begin + 1; i < result.end; ++i)
      range = hull(range, table[static_cast<size_t>(i)]);
    return range;
  }
  case Kind::Affine: {
    const int64_t first = pad + result.begin * stride;
    const int64_t last = pad + (result.end - 1) * stride;
    return {std::min(first, last), std::max(first, last) + 1};
  }
  case Kind::Clamp:
    return {std::clamp<int64_t>(result.begin - pad, 0, size - 1),
            std::clamp<int64_t>(result.end - pad, 1, size)};
  case Kind::Reflect: {
    // A reflected position -i is element i, so everything from the border to there is needed.
    const int64_t begin = result.begin - pad;
    const int64_t end = result.end - pad;
    Range range = clipped(begin, end);
    if (begin < 0)
      range = hull(range, {0, 1 - begin});
    if (end > size)
      range = hull(range, {2 * size - 1 - end, size});
    return clipped(range.begin, range.end);
  }
  case Kind::Divide:
    return {result.begin / ratio, (result.end - 1) / ratio + 1};
  case Kind::Groups:
    return {result.begin / groupOut * groupIn, ((result.end - 1) / groupOut + 1) * groupIn};
  }
  return all;
}

int64_t AxisAccess::windowsApart(int64_t count) const {
  int64_t elements = 0;
  for (int64_t i = 0; i < count; ++i)
    elements += need({i, i + 1}).size();
  return elements;
}

int64_t AxisAccess::neededBy(int64_t count) const {
  switch (kind) {
  case Kind::Table:
    return covered(table);
  case Kind::Affine:
    return count;
  case Kind::Window:
    // Windows that leave no gap cover one range.
    if (reach >= stride)
      return hull(need({0, 1}), need({count - 1, count})).size();
    return windowsApart(count);
  default:
    return need({0, count}).size();
  }
}

} // namespace tigris
