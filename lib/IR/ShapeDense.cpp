// Operators over complete rows: matrix products, softmax, normalization and reductions.
#include "tigris/IR/ShapeRules.h"

#include <algorithm>

namespace tigris::shape {

namespace {

/// Axes that a reduction removes; an absent or empty list means all, or none with
/// noop_with_empty_axes.
Expected<std::vector<bool>> reducedAxes(const OpView& view) {
  const size_t rank = view.shape(0).rank();
  auto given = view.ints("axes");
  if (!given)
    return given.takeError();
  if (!*given || (*given)->empty())
    return std::vector<bool>(rank, view.attrs().getInt("noop_with_empty_axes") == 0);
  auto axes = view.axes("axes", **given, rank);
  if (!axes)
    return axes.takeError();
  std::vector<bool> reduced(rank, false);
  for (const size_t axis : *axes)
    reduced[axis] = true;
  return reduced;
}

Status requireBroadcastTo(const OpView& view, size_t index, const Shape& target) {
  const auto shape = broadcast(view.shape(index), target);
  if (shape && *shape == target)
    return {};
  return view.error(DiagId::BadShape, "operand ", view.describe(index), " of shape ",
                    view.shape(index).str(), " does not broadcast to ", target.str());
}

} // namespace

Results gemmRule(const OpView& view) {
  for (const size_t i : {size_t{0}, size_t{1}})
    if (Status status = view.requireRank(i, 2); !status)
      return status.takeError();
  if (Status status = view.weightType(); !status)
    return status.takeError();
  const Shape& a = view.shape(0);
  const Shape& b = view.shape(1);
  const size_t transA = view.attrs().getInt("transA") != 0 ? 1 : 0;
  const size_t transB = view.attrs().getInt("transB") != 0 ? 1 : 0;
  const int64_t depth = a[1 - transA];
  if (depth != b[transB])
    return view.error(DiagId::BadShape, "operand ", view.describe(0), " gives ", depth,
                      " values per row, but operand ", view.describe(1), " takes ", b[transB]);
  Shape result = {a[transA], b[1 - transB]};
  if (view.has(2)) {
    if (Status status = view.biasType(2); !status)
      return status.takeError();
    if (Status status = requireBroadcastTo(view, 2, result); !status)
      return status.takeError();
  }
  return single(view.type(0), std::move(result));
}

Results matMulRule(const OpView& view) {
  if (Status status = view.weightType(); !status)
    return status.takeError();
  std::vector<int64_t> a = view.shape(0).dims();
  std::vector<int64_t> b = view.shape(1).dims();
  for (const size_t i : {size_t{0}, size_t{1}})
    if (view.shape(i).rank() == 0)
      return view.error(DiagId::BadShape, "operand ", view.describe(i), " is a scalar");
  // A vector is a row on the left and a column on the right; its axis of size 1 is not in the
  // result.
  const bool rowVector = a.size() == 1;
  const bool columnVector = b.size() == 1;
  if (rowVector)
    a.insert(a.begin(), 1);
  if (columnVector)
    b.push_back(1);
  if (a.back() != b[b.size() - 2])
    return view.error(DiagId::BadShape, "operand ", view.describe(0), " gives ", a.back(),
                      " values per row, but operand ", view.describe(1), " takes ",
                      b[b.size() - 2]);
  const auto batch = broadcast(Shape(std::vector<int64_t>(a.begin(), a.end() - 2)),
                               Shape(std::vector<int64_t>(b.begin(), b.end() - 2)));
  if (!batch)
    return view.error(DiagId::BadShape, "the leading axes of ", view.shape(0).str(), " and ",
                      view.shape(1).str(), " do not broadcast");
  std::vector<int64_t> dims = batch->dims();
  if (!rowVector)
    dims.push_back(a[a.size() - 2]);
  if (!columnVector)
    dims.push_back(b.back());
  return single(view.type(0), Shape(std::move(dims)));
}

Results softmaxRule(const OpView& view) {
  auto axis = view.axis("axis", view.attrs().getInt("axis", -1), view.shape(0).rank());
  if (!axis)
    return axis.takeError();
  const TensorId result = view.op().output();
  const bool widens = view.op().kind == OpKind::Softmax && view.type(0) == DType::Int8 && result &&
                      view.graph().tensor(result).type == DType::Int16;
  return single(widens ? DType::Int16 : view.type(0), view.shape(0));
}

Results layerNormalizationRule(const OpView& view) {
  const Shape& x = view.shape(0);
  auto axis = view.axis("axis", view.attrs().getInt("axis", -1), x.rank());
  if (!axis)
    return axis.takeError();
  for (size_t i = 1; i < view.operandCount(); ++i) {
    if (!view.has(i))
      continue;
    if (Status status = view.sameType(0, i); !status)
      return status.takeError();
    if (Status status = requireBroadcastTo(view, i, x); !status)
      return status.takeError();
  }
  Shape statistics = x;
  for (size_t i = *axis; i < x.rank(); ++i)
    statistics[i] = 1;
  return std::vector<ResultType>{
      {view.type(0), x}, {DType::Float32, statistics}, {DType::Float32, statistics}};
}

Results reduceRule(const OpView& view) {
  auto reduced = reducedAxes(view);
  if (!reduced)
    return reduced.takeError();
  const Shape& x = view.shape(0);
  const bool keep = view.attrs().getInt("keepdims", 1) != 0;
  std::vector<int64_t> dims;
  for (size_t i = 0; i < x.rank(); ++i) {
    if (!(*reduced)[i])
      dims.push_back(x[i]);
    else if (keep)
      dims.push_back(1);
  }
  return single(view.type(0), Shape(std::move(dims)));
}

} // namespace tigris::shape
