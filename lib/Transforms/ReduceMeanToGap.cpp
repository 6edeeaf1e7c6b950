// reduce-mean-to-gap: a mean over all spatial positions becomes a global average pool.
#include "tigris/IR/ShapeInference.h"
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr const char* ReduceMeanToGapDoc =
    R"(GlobalAveragePool has a kernel for both number formats and counts as a spatial operator when
stages are tiled; a general reduction has neither property:

    y = ReduceMean(x) {axes: [2, 3], keepdims: 1}     ->   y = GlobalAveragePool(x)
    y = ReduceMean(x) {axes: [2, 3], keepdims: 0}     ->   t = GlobalAveragePool(x)
                                                           y = Reshape(t)

An AveragePool whose only window is the whole unpadded map, and which keeps the quantization, also
becomes GlobalAveragePool. For sequences [N, C, L] the pass applies only if their values come from
a convolution or pool: in a transformer the same shape holds tokens, and a mean over the last axis
is one value per token. Axes may be an attribute or a constant operand.)";

bool comesFromWindow(const Graph& graph, TensorId id) {
  for (OpId producer = graph.producer(id); producer;
       producer = graph.producer(graph.op(producer).input(0))) {
    const Op& op = graph.op(producer);
    const OpCategory category = opInfo(op.kind).category;
    if (category == OpCategory::Spatial)
      return true;
    const bool looksThrough = category == OpCategory::Pointwise ||
                              category == OpCategory::Channel ||
                              op.kind == OpKind::BatchNormalization;
    if (!looksThrough || !op.input(0))
      return false;
  }
  return false;
}

bool reducesAllPositions(const Graph& graph, const Op& op) {
  const Shape& x = graph.tensor(op.input(0)).shape;
  if (x.rank() < 3 || (x.rank() == 3 && !comesFromWindow(graph, op.input(0))))
    return false;
  const auto first = static_cast<int64_t>(firstSpatialAxis(graph.layout()));
  std::vector<int64_t> positions;
  for (int64_t axis = first; axis < first + static_cast<int64_t>(x.rank()) - 2; ++axis)
    positions.push_back(axis);
  const auto axes = intArgument(op, KnownValues(graph), "axes");
  if (!axes || !*axes)
    return false;
  std::vector<int64_t> reduced = **axes;
  for (int64_t& axis : reduced)
    axis += axis < 0 ? static_cast<int64_t>(x.rank()) : 0;
  std::sort(reduced.begin(), reduced.end());
  return reduced == positions;
}

bool poolsAllPositions(const Graph& graph, const Op& op) {
  const Expected<Window> window = resolveWindow(op, graph);
  if (!window || !sameQuant(graph, op.input(0), op.output()))
    return false;
  const Shape& x = graph.tensor(op.input(0)).shape;
  const Shape& y = graph.tensor(op.output()).shape;
  const size_t first = firstSpatialAxis(graph.layout());
  for (size_t i = 0; i < window->kernel.size(); ++i)
    if (y[first + i] != 1 || window->kernel[i] != x[first + i] || window->dilations[i] != 1 ||
        window->pads[i] != 0 || window->pads[i + window->kernel.size()] != 0)
      return false;
  return true;
}

/// Whether TensorFlow Lite Micro's mean differs from its average pool, which GlobalAveragePool is:
/// without a change of scale, the pool divides and the mean multiplies.
bool differsFromPool(const Graph& graph, const Op& op) {
  return graph.rounding() == IntegerRounding::Micro && graph.tensor(op.input(0)).quant &&
         sameQuant(graph, op.input(0), op.output());
}

PassStatus reduceMeanToGap(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if (op.kind == OpKind::AveragePool && hasKnownTypes(graph, id) &&
        poolsAllPositions(graph, op)) {
      rewriteInPlace(graph, id, OpKind::GlobalAveragePool, {op.input(0)}, {});
      return true;
    }
    if (op.kind != OpKind::ReduceMean || !hasKnownTypes(graph, id) ||
        !reducesAllPositions(graph, op) || differsFromPool(graph, op))
      return false;
    const TensorId x = op.input(0);
    if (op.attrs.getInt("keepdims", 1) != 0) {
      rewriteInPlace(graph, id, OpKind::GlobalAveragePool, {x}, {});
      return true;
    }
    const Tensor& result = graph.tensor(op.output());
    const std::vector<int64_t> shape = result.shape.dims();
    const TensorId pooled = insertResult(
        graph, id, makeOpLike(graph, id, OpKind::GlobalAveragePool, {x}), result.quant);
    rewriteInPlace(graph, id, OpKind::Reshape, {pooled}, {{"shape", shape}});
    return true;
  });
}

} // namespace

PassInfo reduceMeanToGapPass() {
  return functionPass("reduce-mean-to-gap", "means over all positions become GlobalAveragePool",
                      ReduceMeanToGapDoc, reduceMeanToGap);
}

} // namespace tigris
