// Operators that select parts of tensors, join tensors, or create them from numbers.
#include "tigris/IR/Elements.h"
#include "tigris/IR/ShapeRules.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <cmath>

namespace tigris {

using shape::OpView;

namespace {

/// Start and element count of one sliced axis; exporters write INT64_MAX for "to the end".
SliceRange clampRange(int64_t start, int64_t end, int64_t step, int64_t size) {
  if (size == 0)
    return {0, 1, 0};
  // A step beyond the size selects one element; the bound prevents overflow below.
  step = std::clamp(step, -size - 1, size + 1);
  const auto fromFront = [size](int64_t index) {
    return index < 0 ? std::max(index, -size - 1) + size : std::min(index, size);
  };
  const int64_t low = step > 0 ? 0 : -1;
  const int64_t first = std::clamp(fromFront(start), int64_t{0}, step > 0 ? size : size - 1);
  const int64_t last = std::clamp(fromFront(end), low, step > 0 ? size : size - 1);
  const int64_t span = step > 0 ? last - first : first - last;
  return {first, step, std::max<int64_t>(0, ceilDiv(span, std::abs(step)))};
}

} // namespace

Expected<std::vector<SliceRange>> resolveSlice(const Op& op, const KnownValues& values) {
  const OpView view(op, values);
  const Shape& x = view.shape(0);
  auto starts = view.requiredInts("starts");
  if (!starts)
    return starts.takeError();
  auto ends = view.requiredInts("ends");
  if (!ends)
    return ends.takeError();
  auto steps = view.ints("steps");
  if (!steps)
    return steps.takeError();
  auto given = view.ints("axes");
  if (!given)
    return given.takeError();
  const size_t count = starts->size();
  if (!*given) {
    given->emplace();
    for (size_t i = 0; i < count; ++i)
      (*given)->push_back(static_cast<int64_t>(i));
  }
  if (!*steps)
    steps->emplace(count, 1);
  for (const auto& [name, size] :
       {std::pair{"ends", ends->size()}, {"axes", (*given)->size()}, {"steps", (*steps)->size()}})
    if (size != count)
      return view.error(DiagId::BadAttr, "'", name, "' has ", size, " values, expected ", count,
                        " as 'starts'");
  auto axes = view.axes("axes", **given, x.rank());
  if (!axes)
    return axes.takeError();
  std::vector<SliceRange> ranges;
  for (const int64_t dim : x)
    ranges.push_back({0, 1, dim});
  for (size_t i = 0; i < count; ++i) {
    if ((**steps)[i] == 0)
      return view.error(DiagId::BadAttr, "'steps' has the value 0");
    const size_t axis = (*axes)[i];
    ranges[axis] = clampRange((*starts)[i], (*ends)[i], (**steps)[i], x[axis]);
  }
  return ranges;
}

Expected<std::vector<int64_t>> resolveSplit(const Op& op, const KnownValues& values) {
  const OpView view(op, values);
  auto axis = view.axis("axis", op.attrs.getInt("axis"), view.shape(0).rank());
  if (!axis)
    return axis.takeError();
  const int64_t size = view.shape(0)[*axis];
  auto given = view.ints("split");
  if (!given)
    return given.takeError();
  const auto results = static_cast<int64_t>(op.outputs.size());
  if (*given) {
    const std::vector<int64_t>& sizes = **given;
    int64_t sum = 0;
    for (const int64_t part : sizes) {
      if (part < 0 || part > size)
        return view.error(DiagId::BadAttr, "'split' has the value ", part, ", expected 0 to ",
                          size);
      sum += part;
    }
    if (sum != size)
      return view.error(DiagId::BadShape, "'split' adds up to ", sum, ", but axis ", *axis, " has ",
                        size, " elements");
    if (results != 0 && static_cast<int64_t>(sizes.size()) != results)
      return view.error(DiagId::BadArity, "'split' has ", sizes.size(), " values for ", results,
                        " results");
    return sizes;
  }
  const bool counted = op.attrs.has("num_outputs");
  const int64_t parts = op.attrs.getInt("num_outputs", results);
  if (parts < 1 || (results != 0 && parts != results))
    return view.error(DiagId::BadArity, "'num_outputs' is ", parts, " for ", results, " results");
  if (!counted && size % parts != 0)
    return view.error(DiagId::BadShape, "axis ", *axis, " has ", size,
                      " elements, which do not divide into ", parts, " equal parts");
  // Only the last part may be smaller.
  const int64_t part = parts > size ? 1 : ceilDiv(size, parts);
  const int64_t last = size - part * (parts - 1);
  if (last < 0)
    return view.error(DiagId::BadShape, "axis ", *axis, " has ", size, " elements, too few for ",
                      parts, " parts");
  std::vector<int64_t> sizes(static_cast<size_t>(parts), part);
  sizes.back() = last;
  return sizes;
}

namespace shape {

namespace {

/// Number of elements of a Range; nullopt if its step is 0 or the number is too large.
std::optional<int64_t> rangeLength(const Blob& start, const Blob& limit, const Blob& delta,
                                   DType type) {
  if (isFloat(type)) {
    const double step = loadElements<double>(delta, type)[0];
    const double span = loadElements<double>(limit, type)[0] - loadElements<double>(start, type)[0];
    const double count = std::ceil(span / step);
    if (step == 0 || !(count <= static_cast<double>(Shape::MaxElements)))
      return std::nullopt;
    return std::max<int64_t>(0, static_cast<int64_t>(std::max(count, 0.0)));
  }
  const int64_t step = loadElements<int64_t>(delta, type)[0];
  int64_t span = 0;
  if (step == 0 || step == INT64_MIN ||
      __builtin_sub_overflow(loadElements<int64_t>(limit, type)[0],
                             loadElements<int64_t>(start, type)[0], &span) ||
      span == INT64_MIN)
    return std::nullopt;
  if (span == 0 || (span > 0) != (step > 0))
    return 0;
  return (std::abs(span) - 1) / std::abs(step) + 1;
}

} // namespace

Results sliceRule(const OpView& view) {
  auto ranges = resolveSlice(view.op(), view.values());
  if (!ranges)
    return ranges.takeError();
  std::vector<int64_t> dims;
  for (const SliceRange& range : *ranges)
    dims.push_back(range.count);
  return single(view.type(0), Shape(std::move(dims)));
}

Results splitRule(const OpView& view) {
  auto sizes = resolveSplit(view.op(), view.values());
  if (!sizes)
    return sizes.takeError();
  const auto axis = normalizeAxis(view.attrs().getInt("axis"), view.shape(0).rank());
  std::vector<ResultType> results;
  for (const int64_t size : *sizes) {
    Shape part = view.shape(0);
    part[*axis] = size;
    results.push_back({view.type(0), std::move(part)});
  }
  return results;
}

Results concatRule(const OpView& view) {
  if (!view.attrs().has("axis"))
    return view.error(DiagId::BadAttr, "'axis' is missing");
  Shape result = view.shape(0);
  auto axis = view.axis("axis", view.attrs().getInt("axis"), result.rank());
  if (!axis)
    return axis.takeError();
  for (size_t i = 1; i < view.operandCount(); ++i) {
    if (Status status = view.sameType(0, i); !status)
      return status.takeError();
    const Shape& next = view.shape(i);
    Shape expected = result;
    if (next.rank() == result.rank())
      expected[*axis] = next[*axis];
    if (next != expected)
      return view.error(DiagId::BadShape, "operand ", view.describe(i), " has shape ", next.str(),
                        ", which differs from ", view.shape(0).str(), " in more than axis ", *axis);
    result[*axis] += next[*axis];
  }
  return single(view.type(0), std::move(result));
}

Results gatherRule(const OpView& view) {
  const Shape& x = view.shape(0);
  auto axis = view.axis("axis", view.attrs().getInt("axis"), x.rank());
  if (!axis)
    return axis.takeError();
  const DType indexType = view.type(1);
  if (indexType != DType::Int64 && indexType != DType::Int32)
    return view.error(DiagId::BadType, "operand ", view.describe(1), " is ", dtypeName(indexType),
                      ", expected int64 or int32");
  if (const BlobRef known = view.values().find(view.op().input(1)))
    for (const int64_t index : loadElements<int64_t>(*known, indexType))
      if (!normalizeAxis(index, static_cast<size_t>(x[*axis])))
        return view.error(DiagId::BadShape, "index ", index, " is outside axis ", *axis,
                          ", which has ", x[*axis], " elements");
  std::vector<int64_t> dims = x.dims();
  const auto at = dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(*axis));
  dims.insert(at, view.shape(1).begin(), view.shape(1).end());
  return single(view.type(0), Shape(std::move(dims)));
}

Results constantOfShapeRule(const OpView& view) {
  auto dims = view.requiredInts("shape");
  if (!dims)
    return dims.takeError();
  if (view.has(1) && view.shape(1).elements() != 1)
    return view.error(DiagId::BadShape, "operand ", view.describe(1), " has shape ",
                      view.shape(1).str(), ", expected one element");
  return single(view.has(1) ? view.type(1) : DType::Float32, Shape(std::move(*dims)));
}

Results shapeRule(const OpView& view) {
  const auto rank = static_cast<int64_t>(view.shape(0).rank());
  const auto clamped = [rank](int64_t axis) {
    return std::clamp(axis < 0 ? std::max(axis, -rank) + rank : axis, int64_t{0}, rank);
  };
  const int64_t start = clamped(view.attrs().getInt("start"));
  const int64_t end = clamped(view.attrs().getInt("end", rank));
  return single(DType::Int64, {std::max<int64_t>(0, end - start)});
}

Results sizeRule(const OpView&) { return single(DType::Int64, {}); }

Results rangeRule(const OpView& view) {
  for (size_t i = 0; i < 3; ++i) {
    if (Status status = view.sameType(0, i); !status)
      return status.takeError();
    if (view.shape(i).elements() != 1)
      return view.error(DiagId::BadShape, "operand ", view.describe(i), " has shape ",
                        view.shape(i).str(), ", expected a scalar");
    if (view.values().find(view.op().input(i)) == nullptr)
      return view.error(DiagId::DynamicShape, "operand ", view.describe(i),
                        " is not known at compile time");
  }
  const auto value = [&](size_t i) { return view.values().find(view.op().input(i)); };
  if (!hasElements(view.type(0)))
    return view.error(DiagId::UnsupportedType, "cannot count in ", dtypeName(view.type(0)));
  const auto length = rangeLength(*value(0), *value(1), *value(2), view.type(0));
  if (!length)
    return view.error(DiagId::BadAttr, "'delta' is 0 or the range has too many elements");
  return single(view.type(0), {*length});
}

} // namespace shape

} // namespace tigris
