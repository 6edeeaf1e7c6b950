// Reads operands and takes parts of them.
#include "tigris/Import/Tflite/Operands.h"

#include "tigris/Support/StringUtils.h"

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

std::array<TensorId, 2> twoResults(OpContext& op, std::array<std::string_view, 2> suffixes,
                                   OpKind kind, std::vector<TensorId> inputs, AttrMap attrs,
                                   const std::optional<QuantParam>& first,
                                   const std::optional<QuantParam>& second) {
  if (op.failed())
    return {};
  Graph& graph = op.builder().graph();
  Op made;
  made.kind = kind;
  made.name = graph.uniqueName(strCat(op.name(), "/layer"));
  made.inputs = std::move(inputs);
  made.attrs = std::move(attrs);
  for (const std::string_view suffix : suffixes)
    made.outputs.push_back(
        op.builder().addResult(graph.uniqueName(strCat(op.name(), "/", suffix))));
  const std::array<TensorId, 2> results = {made.outputs[0], made.outputs[1]};
  graph.editTensor(results[0]).quant = first;
  graph.editTensor(results[1]).quant = second;
  if (Status status = op.builder().addOp(std::move(made)); !status) {
    op.fail(status.error().id(), status.error().message());
    return {};
  }
  return results;
}

} // namespace tigris
