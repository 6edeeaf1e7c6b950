// Operators that take parts of a tensor, and those that join parts along a new dimension.
#include "tigris/Import/Tflite/OpTables.h"
#include "tigris/Import/Tflite/Operands.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tigris {

using tflite::BuiltinOperator;
using Ints = std::vector<int64_t>;

namespace {

/// Results are consecutive parts of one dimension with these sizes.
Status splitInto(OpContext& op, TensorId x, size_t axis, const Ints& sizes) {
  if (op.failed())
    return op.status();
  if (sizes.size() != op.outputCount() ||
      std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size < 0; }) ||
      std::accumulate(sizes.begin(), sizes.end(), int64_t{0}) != op.shape(x)[axis])
    return op.fail(DiagId::BadShape, "its ", op.outputCount(), " parts do not fill dimension ",
                   axis, " of ", op.shape(x).str());
  int64_t from = 0;
  for (size_t i = 0; i < sizes.size() && !op.failed(); ++i) {
    if (op.outputIndex(i) >= 0) {
      const Ints axes = {static_cast<int64_t>(axis)};
      op.finish(OpKind::Slice, {x},
                {{"starts", Ints{from}}, {"ends", Ints{from + sizes[i]}}, {"axes", axes}}, i);
    }
    from += sizes[i];
  }
  return op.status();
}

Status flatSplit(OpContext& op) {
  const TensorId x = operandOf(op, 2, 1);
  const int64_t given = oneInteger(op, 0, "the dimension");
  if (op.failed())
    return op.status();
  const size_t axis = dimensionOf(op, given, op.shape(x).rank());
  const auto parts = static_cast<int64_t>(op.outputCount());
  if (op.failed())
    return op.status();
  return splitInto(op, x, axis, Ints(op.outputCount(), op.shape(x)[axis] / parts));
}

Status splitV(OpContext& op) {
  const TensorId x = operandOf(op, 3);
  Ints sizes = op.integers(1, "the sizes");
  const int64_t given = oneInteger(op, 2, "the dimension");
  if (op.failed())
    return op.status();
  const size_t axis = dimensionOf(op, given, op.shape(x).rank());
  if (op.failed())
    return op.status();
  int64_t rest = op.shape(x)[axis];
  for (const int64_t size : sizes)
    rest -= std::max<int64_t>(size, 0);
  for (int64_t& size : sizes)
    if (size == -1)
      size = rest;
  return splitInto(op, x, axis, sizes);
}

Status pack(OpContext& op) {
  const auto* options = op.options<tflite::PackOptions>();
  if (!op.require(1) || options == nullptr)
    return op.fail(DiagId::BadAttr, "has no PackOptions");
  const TensorId first = op.input(0);
  if (op.failed())
    return op.status();
  const size_t axis = dimensionOf(op, options->axis(), op.shape(first).rank() + 1);
  if (op.failed())
    return op.status();
  Ints dims = op.shape(first).dims();
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  std::vector<TensorId> inputs;
  for (size_t i = 0; i < op.inputCount(); ++i) {
    const TensorId id = op.input(i);
    if (!op.failed() && op.shape(id) != op.shape(first))
      op.fail(DiagId::BadShape, "packs ", op.shape(first).str(), " with ", op.shape(id).str());
    inputs.push_back(op.reshaped(op.requantized(id), Shape(dims)));
  }
  return op.finish(OpKind::Concat, std::move(inputs), {{"axis", static_cast<int64_t>(axis)}});
}

Status unpack(OpContext& op) {
  const auto* options = op.options<tflite::UnpackOptions>();
  const TensorId x = operandOf(op, 1);
  if (op.failed())
    return op.status();
  const size_t axis = dimensionOf(op, options == nullptr ? 0 : options->axis(), op.shape(x).rank());
  if (op.failed())
    return op.status();
  if (static_cast<int64_t>(op.outputCount()) != op.shape(x)[axis])
    return op.fail(DiagId::BadShape, "has ", op.outputCount(), " results for ", op.shape(x)[axis],
                   " parts");
  Ints dims = op.shape(x).dims();
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  for (size_t i = 0; i < op.outputCount() && !op.failed(); ++i)
    if (op.outputIndex(i) >= 0) {
      const auto at = static_cast<int64_t>(i);
      op.finish(OpKind::Reshape, {partOf(op, x, axis, at, at + 1)}, {{"shape", dims}}, i);
    }
  return op.status();
}

Status flatSlice(OpContext& op) {
  const TensorId x = operandOf(op, 3);
  Ints starts = op.integers(1, "the begin");
  const Ints sizes = op.integers(2, "the size");
  if (op.failed())
    return op.status();
  const Shape& shape = op.shape(x);
  if (starts.size() != shape.rank() || sizes.size() != shape.rank())
    return op.fail(DiagId::BadShape, "has ", starts.size(), " begins and ", sizes.size(),
                   " sizes for rank ", shape.rank());
  Ints ends;
  Ints axes;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (starts[i] < 0 || starts[i] > shape[i] || sizes[i] < -1 || sizes[i] > shape[i] - starts[i])
      return op.fail(DiagId::BadShape, "takes ", sizes[i], " elements from ", starts[i],
                     " of dimension ", i, " of ", shape.str());
    ends.push_back(sizes[i] == -1 ? shape[i] : starts[i] + sizes[i]);
    axes.push_back(static_cast<int64_t>(i));
  }
  return op.finish(OpKind::Slice, {x}, {{"starts", starts}, {"ends", ends}, {"axes", axes}});
}

/// The masks have one bit per entry of begin, end and strides. An ellipsis entry stands for all
/// dimensions that the others leave, an entry of new_axis for a new one of size 1, and one of
/// shrink_axis for a single index, whose dimension is removed.
Status stridedSlice(OpContext& op) {
  const TensorId x = operandOf(op, 4);
  const Ints begin = op.integers(1, "the begin");
  const Ints end = op.integers(2, "the end");
  const Ints stride = op.integers(3, "the strides");
  const auto* options = op.options<tflite::StridedSliceOptions>();
  if (op.failed())
    return op.status();
  if (options == nullptr)
    return op.fail(DiagId::BadAttr, "has no StridedSliceOptions");
  if (begin.size() != end.size() || begin.size() != stride.size() || begin.size() > 31)
    return op.fail(DiagId::BadShape, "has ", begin.size(), " begins, ", end.size(), " ends and ",
                   stride.size(), " strides");
  const auto has = [](int32_t mask, size_t i) {
    return (static_cast<uint32_t>(mask) >> i & 1U) != 0;
  };
  const Shape shape = op.shape(x);
  size_t used = 0;
  for (size_t i = 0; i < begin.size(); ++i)
    used += has(options->ellipsis_mask(), i) || has(options->new_axis_mask(), i) ? 0 : 1;
  if (used > shape.rank())
    return op.fail(DiagId::BadShape, "has ", used, " entries for rank ", shape.rank());
  Ints starts;
  Ints ends;
  Ints steps;
  Ints dims;
  const auto whole = [&](int64_t size) {
    starts.push_back(0);
    ends.push_back(size);
    steps.push_back(1);
    dims.push_back(size);
  };
  bool expanded = false;
  for (size_t i = 0; i < begin.size(); ++i) {
    if (has(options->ellipsis_mask(), i) && !expanded) {
      expanded = true;
      for (size_t rest = shape.rank() - used; rest > 0; --rest)
        whole(shape[starts.size()]);
      continue;
    }
    if (has(options->new_axis_mask(), i)) {
      dims.push_back(1);
      continue;
    }
    if (starts.size() >= shape.rank())
      return op.fail(DiagId::BadShape, "has too many entries for ", shape.str());
    const int64_t size = shape[starts.size()];
    const int64_t step = has(options->shrink_axis_mask(), i) ? 1 : stride[i];
    if (step == 0)
      return op.fail(DiagId::BadAttr, "has a stride of 0");
    const auto clamped = [&](int64_t value) {
      return std::clamp<int64_t>(value < 0 ? value + size : value, step > 0 ? 0 : -1,
                                 step > 0 ? size : size - 1);
    };
    int64_t from = has(options->begin_mask(), i) ? (step > 0 ? 0 : size - 1) : clamped(begin[i]);
    if (has(options->shrink_axis_mask(), i))
      from = std::clamp<int64_t>(begin[i] < 0 ? begin[i] + size : begin[i], 0,
                                 std::max<int64_t>(size - 1, 0));
    int64_t to = has(options->end_mask(), i) ? (step > 0 ? size : -1)
                 : options->offset()         ? clamped(begin[i] + end[i])
                                             : clamped(end[i]);
    if (has(options->shrink_axis_mask(), i))
      to = from + 1;
    else
      dims.push_back(std::max<int64_t>(0, (to - from + step - (step > 0 ? 1 : -1)) / step));
    starts.push_back(from);
    ends.push_back(to < 0 ? std::numeric_limits<int64_t>::min() / 2 : to);
    steps.push_back(step);
  }
  while (starts.size() < shape.rank())
    whole(shape[starts.size()]);
  return op.finish(OpKind::Reshape,
                   {slicedBy(op, x, std::move(starts), std::move(ends), std::move(steps))},
                   {{"shape", dims}});
}

constexpr OpRule SliceOps[] = {
    {BuiltinOperator::SPLIT, 4, flatSplit}, {BuiltinOperator::SPLIT_V, 2, splitV},
    {BuiltinOperator::PACK, 4, pack},       {BuiltinOperator::UNPACK, 4, unpack},
    {BuiltinOperator::SLICE, 6, flatSlice}, {BuiltinOperator::STRIDED_SLICE, 8, stridedSlice},
};

} // namespace

std::span<const OpRule> sliceOps() { return SliceOps; }

} // namespace tigris
