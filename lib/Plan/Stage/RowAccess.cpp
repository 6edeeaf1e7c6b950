// Row by row, by the rules for boxes; what does not move forward is no window of rows.
#include "tigris/Plan/Stage/RowAccess.h"

namespace tigris {

namespace {

constexpr uint64_t SumElementBytes = 4; // int32 or float

/// Which ops have kernels for rows of their operand (runtime/src/reference.c).
uint64_t sumBytesOf(const Graph& graph, const Op& op) {
  if (op.kind != OpKind::GlobalAveragePool)
    return 0;
  const Tensor& x = graph.tensor(op.input(0));
  const Shape& y = graph.tensor(op.output()).shape;
  const bool hasKernel = x.type == DType::Int8 || x.type == DType::Float32;
  if (!hasKernel || x.shape.rank() < 3 || x.shape[0] != y[0] || y[RowAxis] != 1)
    return 0;
  return static_cast<uint64_t>(x.shape.fromBack(0)) * SumElementBytes;
}

} // namespace

Box rowStrip(const Shape& shape, int64_t outer, int64_t begin, int64_t end) {
  Box box = wholeBox(shape);
  if (shape[0] == outer)
    box.axes[0] = {0, 1};
  box.axes[RowAxis] = {begin, end};
  return box;
}

const RowAccess* RowTable::find(OpId op) {
  auto found = entries_.find(op);
  if (found == entries_.end())
    found = entries_.emplace(op, make(op)).first;
  return found->second ? &*found->second : nullptr;
}

std::optional<RowAccess> RowTable::make(OpId id) const {
  const Op& op = graph().op(id);
  const BoxAccess* rules = access_->find(id);
  if (rules == nullptr || op.outputs.size() != 1 || graph().tensor(op.output()).shape.rank() < 2)
    return std::nullopt;
  const Shape& result = graph().tensor(op.output()).shape;
  const auto isTooLong = [](const Shape& shape) { return shape[RowAxis] > Tiling::MaxStreamRows; };
  if (isTooLong(result))
    return std::nullopt;
  const int64_t outer = result[0];
  if ((result[RowAxis] > 1 || outer > 1) && !rules->allows(rowStrip(result, outer, 0, 1)))
    return std::nullopt;
  RowAccess access;
  access.rules = rules;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (!op.inputs[i] || graph().tensor(op.inputs[i]).isConstant())
      continue;
    const Shape& shape = graph().tensor(op.inputs[i]).shape;
    if (shape.rank() < 2 || (shape[0] != outer && shape[0] != 1) || isTooLong(shape))
      return std::nullopt;
    const Box whole = rowStrip(shape, outer, 0, shape[RowAxis]);
    // An axis of the operand may have the outermost extent by chance, and be another one.
    Box last = rowStrip(result, outer, 0, 1);
    last.axes[0] = {outer - 1, outer};
    const Range lastOuter = shape[0] == outer ? last.axes[0] : Range{0, 1};
    if (rules->need(i, last).axes[0] != lastOuter)
      return std::nullopt;
    const Box all = rules->need(i, rowStrip(result, outer, 0, result[RowAxis]));
    RowAccess::Input input;
    input.tensor = op.inputs[i];
    input.operand = i;
    for (int64_t row = 0; row < result[RowAxis]; ++row) {
      const Box need = rules->need(i, rowStrip(result, outer, row, row + 1));
      // Kernels see all columns and channels of the rows, so these must not depend on the row.
      if (need.empty() || need.axes[0] != whole.axes[0] || need.axes[2] != all.axes[2] ||
          need.axes[3] != all.axes[3])
        return std::nullopt;
      const Range rows = need.axes[RowAxis];
      if (!input.need.empty() &&
          (rows.begin < input.need.back().begin || rows.end < input.need.back().end))
        return std::nullopt;
      input.whole &= rows.size() == shape[RowAxis];
      input.single &= rows.size() == 1;
      input.need.push_back(rows);
    }
    access.inputs.push_back(std::move(input));
  }
  if (!access.inputs.empty())
    access.sumBytes = sumBytesOf(graph(), op);
  return access;
}

} // namespace tigris
