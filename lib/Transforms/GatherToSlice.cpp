// gather-to-slice: a Gather of evenly spaced indices becomes a Slice.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr const char* GatherToSliceDoc =
    R"(Indexing such as x[:, 0] is exported as Gather with a constant index. A Slice needs no index
table and can be planned as a plain copy:

    y = Gather(x, 0) {axis: 1}     # x [1, 17, 32], y [1, 32]
    ->
    t = Slice(x) {axes: [1], starts: [0], ends: [1], steps: [1]}
    y = Reshape(t) {shape: [1, 32]}

Indices that are not evenly spaced in ascending order stay a Gather.)";

using Ints = std::vector<int64_t>;

/// Constant indices as nonnegative numbers; nullopt if they are not static or out of range.
std::optional<Ints> staticIndices(const Graph& graph, TensorId id, int64_t dim) {
  const Tensor& tensor = graph.tensor(id);
  Ints indices;
  if (!tensor.isConstant() || tensor.shape.rank() > 1 || tensor.elements() == 0)
    return std::nullopt;
  if (tensor.type == DType::Int64) {
    indices = tensor.data->values<int64_t>();
  } else if (tensor.type == DType::Int32) {
    const std::vector<int32_t> narrow = tensor.data->values<int32_t>();
    indices.assign(narrow.begin(), narrow.end());
  } else {
    return std::nullopt;
  }
  for (int64_t& index : indices) {
    index = index < 0 ? index + dim : index;
    if (index < 0 || index >= dim)
      return std::nullopt;
  }
  return indices;
}

PassStatus gatherToSlice(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if (op.kind != OpKind::Gather || !hasKnownTypes(graph, id) ||
        !sameQuant(graph, op.input(0), op.output()))
      return false;
    const TensorId x = op.input(0);
    const Shape& shape = graph.tensor(x).shape;
    const auto axis = normalizeAxis(op.attrs.getInt("axis", 0), shape.rank());
    const auto indices = axis ? staticIndices(graph, op.input(1), shape[*axis]) : std::nullopt;
    if (!indices)
      return false;
    const int64_t step = indices->size() > 1 ? (*indices)[1] - (*indices)[0] : 1;
    for (size_t i = 1; i < indices->size(); ++i)
      if (step < 1 || (*indices)[i] - (*indices)[i - 1] != step)
        return false;
    AttrMap attrs = {{"axes", Ints{static_cast<int64_t>(*axis)}},
                     {"starts", Ints{indices->front()}},
                     {"ends", Ints{indices->back() + 1}},
                     {"steps", Ints{step}}};
    if (graph.tensor(op.input(1)).shape.rank() == 1) {
      rewriteInPlace(graph, id, OpKind::Slice, {x}, std::move(attrs));
      return true;
    }
    const Tensor& result = graph.tensor(op.output());
    const std::vector<int64_t> target = result.shape.dims();
    const TensorId slice = insertResult(
        graph, id, makeOpLike(graph, id, OpKind::Slice, {x}, std::move(attrs)), result.quant);
    rewriteInPlace(graph, id, OpKind::Reshape, {slice}, {{"shape", target}});
    return true;
  });
}

} // namespace

PassInfo gatherToSlicePass() {
  return functionPass("gather-to-slice", "Gather of evenly spaced indices becomes Slice",
                      GatherToSliceDoc, gatherToSlice);
}

} // namespace tigris
