// Reads operands and takes parts of them.
#include "tigris/Import/Tflite/Operands.h"

#include <numeric>

namespace tigris {

using Ints = std::vector<int64_t>;

size_t dimensionOf(OpContext& op, int64_t axis, size_t rank) {
  const auto found = normalizeAxis(axis, rank);
  if (!found)
    op.fail(DiagId::BadAttr, "dimension ", axis, " is outside rank ", rank);
  return found.value_or(0);
}

int64_t oneInteger(OpContext& op, size_t index, std::string_view what) {
  const Ints values = op.integers(index, what);
  if (!op.failed() && values.size() != 1)
    op.unsupported(what, " has ", values.size(), " values, expected one");
  return values.empty() ? 0 : values[0];
}

TensorId operandOf(OpContext& op, size_t operands, size_t index) {
  return op.require(operands) ? op.input(index) : TensorId();
}

TensorId slicedBy(OpContext& op, TensorId x, Ints starts, Ints ends, Ints steps) {
  if (op.failed())
    return {};
  Ints axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  AttrMap attrs = {{"starts", std::move(starts)}, {"ends", std::move(ends)}, {"axes", axes}};
  if (!steps.empty())
    attrs.set("steps", std::move(steps));
  return op.step("slice", OpKind::Slice, {x}, std::move(attrs), op.tensor(x).quant);
}

TensorId partOf(OpContext& op, TensorId x, size_t axis, int64_t from, int64_t to) {
  if (op.failed())
    return {};
  Ints starts(op.shape(x).rank(), 0);
  Ints ends = op.shape(x).dims();
  starts[axis] = from;
  ends[axis] = to;
  return slicedBy(op, x, std::move(starts), std::move(ends));
}

} // namespace tigris
