// The classes are the categories of Ops.def.
#include "tigris/Plan/Specification/Tileability.h"

#include "tigris/IR/ShapeInference.h"
#include "tigris/Support/Check.h"

#include <algorithm>

namespace tigris {

namespace {

bool isSpatial(const Op& op) { return opInfo(op.kind).category == OpCategory::Spatial; }

bool joinsChannels(const Graph& graph, const Op& concat) {
  const size_t rank = graph.tensor(concat.output()).shape.rank();
  return normalizeAxis(concat.attrs.getInt("axis", 0), rank) == rank - 1;
}

bool isTileableOp(const Graph& graph, const Op& op) {
  switch (opInfo(op.kind).category) {
  case OpCategory::Spatial:
    return opInfo(op.kind).opClass != OpClass::TransposedConvolution;
  case OpCategory::Pointwise:
  case OpCategory::Resample:
    return true;
  case OpCategory::Channel:
    return op.kind != OpKind::Concat || joinsChannels(graph, op);
  case OpCategory::Structural:
  case OpCategory::Dense:
  case OpCategory::Compile:
    return false;
  }
  return false;
}

HeightWindow heightWindow(const Graph& graph, const Op& op) {
  if (opInfo(op.kind).opClass == OpClass::GlobalPool)
    return {tensorHeight(graph.tensor(op.input(0))), 1, 1};
  const Expected<Window> window = resolveWindow(op, graph);
  TIGRIS_CHECK_MSG(window, "a verified op has no window");
  return {window->kernel[0], window->strides[0], window->dilations[0]};
}

/// The rows of operand `input` for `rows` rows of the result.
int64_t neededRows(const Graph& graph, const Op& op, TensorId input, int64_t rows) {
  if (isSpatial(op))
    return inputTileHeight(rows, heightWindow(graph, op));
  if (opInfo(op.kind).category != OpCategory::Resample)
    return rows;
  const int64_t from = tensorHeight(graph.tensor(input));
  const int64_t to = tensorHeight(graph.tensor(op.output()));
  // Interpolation reads one more row on either side; padding shifts rows without scaling them.
  return from == to || op.kind == OpKind::Pad ? rows : (rows * from + to - 1) / to + 2;
}

} // namespace

int64_t tensorHeight(const Tensor& tensor) {
  return tensor.shape.rank() < 3 ? 1 : tensor.shape[RowAxis];
}

bool isTileable(const OrderView& view, size_t begin, size_t end) {
  size_t spatial = 0;
  for (size_t step = begin; step < end; ++step) {
    const Op& op = view.op(step);
    if (!isTileableOp(view.graph(), op))
      return false;
    spatial += isSpatial(op) ? 1 : 0;
  }
  return spatial <= 1;
}

std::vector<HeightWindow> spatialWindows(const Graph& graph, std::span<const OpId> ops) {
  std::vector<HeightWindow> windows;
  for (const OpId id : ops)
    if (isSpatial(graph.op(id)))
      windows.push_back(heightWindow(graph, graph.op(id)));
  return windows;
}

std::map<TensorId, int64_t> tileHeights(const Graph& graph, std::span<const OpId> ops,
                                        int64_t height) {
  std::map<TensorId, int64_t> heights;
  const auto need = [&](TensorId id, int64_t rows) {
    int64_t& known = heights[id];
    known = std::max(known, std::min(rows, tensorHeight(graph.tensor(id))));
  };
  need(graph.op(ops.back()).output(), height);
  for (size_t i = ops.size(); i-- > 0;) {
    const Op& op = graph.op(ops[i]);
    for (const TensorId input : op.inputs)
      if (input && !graph.tensor(input).isConstant())
        need(input, neededRows(graph, op, input, heights[op.output()]));
  }
  return heights;
}

} // namespace tigris
