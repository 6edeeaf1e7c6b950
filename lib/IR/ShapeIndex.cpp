// Operators that compute or use indices: ArgMax, TopK, GatherND, ScatterElements and related ones.
#include "tigris/IR/ShapeRules.h"

namespace tigris::shape {

namespace {

Status requireIndices(const OpView& view, size_t index) {
  const DType type = view.type(index);
  if (type == DType::Int64 || type == DType::Int32)
    return {};
  return view.error(DiagId::BadType, "operand ", view.describe(index), " is ", dtypeName(type),
                    ", expected int64 or int32");
}

/// Requires that the operand has X's rank and is not larger than X, except along `axis`.
Status requireWithin(const OpView& view, size_t index, size_t axis) {
  const Shape& x = view.shape(0);
  const Shape& own = view.shape(index);
  if (Status status = view.requireRank(index, x.rank()); !status)
    return status;
  for (size_t i = 0; i < x.rank(); ++i)
    if (i != axis && own[i] > x[i])
      return view.error(DiagId::BadShape, "operand ", view.describe(index), " has shape ",
                        own.str(), ", which is larger than ", x.str(), " along axis ", i);
  return {};
}

/// Number of axes of X that one index of GatherND or ScatterND selects.
Expected<size_t> indexDepth(const OpView& view, size_t batch) {
  const Shape& indices = view.shape(1);
  const Shape& x = view.shape(0);
  const int64_t depth = indices.rank() == 0 ? 0 : indices.fromBack(0);
  if (indices.rank() <= batch || x.rank() <= batch || depth < 1 ||
      depth > static_cast<int64_t>(x.rank() - batch))
    return view.error(DiagId::BadShape, "operand ", view.describe(1), " has shape ", indices.str(),
                      ", which cannot index ", x.str(), " behind ", batch, " batch axes");
  return static_cast<size_t>(depth);
}

} // namespace

Results argMaxRule(const OpView& view) {
  Shape result = view.shape(0);
  auto axis = view.axis("axis", view.attrs().getInt("axis"), result.rank());
  if (!axis)
    return axis.takeError();
  if (view.attrs().getInt("keepdims", 1) != 0) {
    result[*axis] = 1;
    return single(DType::Int64, std::move(result));
  }
  std::vector<int64_t> dims = result.dims();
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(*axis));
  return single(DType::Int64, Shape(std::move(dims)));
}

Results topKRule(const OpView& view) {
  Shape result = view.shape(0);
  auto axis = view.axis("axis", view.attrs().getInt("axis", -1), result.rank());
  if (!axis)
    return axis.takeError();
  auto count = view.requiredInts("K");
  if (!count)
    return count.takeError();
  if (count->size() != 1 || count->front() < 1 || count->front() > result[*axis])
    return view.error(DiagId::BadAttr, "'K' is ", join(*count, ", "), ", but axis ", *axis, " has ",
                      result[*axis], " elements");
  result[*axis] = count->front();
  return std::vector<ResultType>{{view.type(0), result}, {DType::Int64, result}};
}

Results detectionRule(const OpView& view) {
  for (const size_t i : {size_t{0}, size_t{1}, size_t{2}})
    if (Status status = view.requireRank(i, 2); !status)
      return status.takeError();
  const int64_t boxes = view.shape(0)[0];
  if (view.shape(0)[1] < 4 || view.shape(1)[0] != boxes || view.shape(2) != Shape{boxes, 4})
    return view.error(DiagId::BadShape, "boxes, scores and anchors have shapes ",
                      view.shape(0).str(), ", ", view.shape(1).str(), " and ", view.shape(2).str());
  const int64_t most = view.attrs().getInt("max_detections");
  const int64_t first = view.attrs().getInt("first_column");
  if (most < 1 || most > INT32_MAX / 6 || boxes >= INT32_MAX)
    return view.error(DiagId::BadAttr, "'max_detections' is ", most);
  if (first < 0 || first >= view.shape(1)[1])
    return view.error(DiagId::BadAttr, "'first_column' is ", first, ", but there are ",
                      view.shape(1)[1], " columns");
  return std::vector<ResultType>{{view.type(0), {most, 6}}, {view.type(0), {boxes + 1}}};
}

Results cumSumRule(const OpView& view) {
  auto given = view.requiredInts("axis");
  if (!given)
    return given.takeError();
  if (given->size() != 1)
    return view.error(DiagId::BadAttr, "'axis' has ", given->size(), " values, expected 1");
  auto axis = view.axis("axis", given->front(), view.shape(0).rank());
  if (!axis)
    return axis.takeError();
  return sameAsFirst(view);
}

Results gatherNdRule(const OpView& view) {
  if (Status status = requireIndices(view, 1); !status)
    return status.takeError();
  const Shape& x = view.shape(0);
  const Shape& indices = view.shape(1);
  const int64_t batchDims = view.attrs().getInt("batch_dims");
  if (batchDims < 0)
    return view.error(DiagId::BadAttr, "'batch_dims' is ", batchDims, ", expected 0 or more");
  const auto batch = static_cast<size_t>(batchDims);
  auto depth = indexDepth(view, batch);
  if (!depth)
    return depth.takeError();
  for (size_t i = 0; i < batch; ++i)
    if (x[i] != indices[i])
      return view.error(DiagId::BadShape, "operands of shape ", x.str(), " and ", indices.str(),
                        " differ in batch axis ", i);
  std::vector<int64_t> dims(indices.begin(), indices.end() - 1);
  dims.insert(dims.end(), x.begin() + static_cast<std::ptrdiff_t>(batch + *depth), x.end());
  return single(view.type(0), Shape(std::move(dims)));
}

Results gatherElementsRule(const OpView& view) {
  if (Status status = requireIndices(view, 1); !status)
    return status.takeError();
  auto axis = view.axis("axis", view.attrs().getInt("axis"), view.shape(0).rank());
  if (!axis)
    return axis.takeError();
  if (Status status = requireWithin(view, 1, *axis); !status)
    return status.takeError();
  return single(view.type(0), view.shape(1));
}

Results scatterElementsRule(const OpView& view) {
  if (Status status = requireIndices(view, 1); !status)
    return status.takeError();
  if (Status status = view.sameType(0, 2); !status)
    return status.takeError();
  auto axis = view.axis("axis", view.attrs().getInt("axis"), view.shape(0).rank());
  if (!axis)
    return axis.takeError();
  if (Status status = requireWithin(view, 1, *axis); !status)
    return status.takeError();
  if (view.shape(1) != view.shape(2))
    return view.error(DiagId::BadShape, "operand ", view.describe(2), " has shape ",
                      view.shape(2).str(), ", but the indices have ", view.shape(1).str());
  return sameAsFirst(view);
}

Results scatterNdRule(const OpView& view) {
  if (Status status = requireIndices(view, 1); !status)
    return status.takeError();
  if (Status status = view.sameType(0, 2); !status)
    return status.takeError();
  auto depth = indexDepth(view, 0);
  if (!depth)
    return depth.takeError();
  const Shape& x = view.shape(0);
  const Shape& indices = view.shape(1);
  std::vector<int64_t> dims(indices.begin(), indices.end() - 1);
  dims.insert(dims.end(), x.begin() + static_cast<std::ptrdiff_t>(*depth), x.end());
  if (Shape(dims) != view.shape(2))
    return view.error(DiagId::BadShape, "operand ", view.describe(2), " has shape ",
                      view.shape(2).str(), ", expected ", Shape(dims).str());
  return sameAsFirst(view);
}

} // namespace tigris::shape
