// layout-assign: spatial operators work on channels-last tensors.
//
// ONNX stores images as [N, C, H, W]. The kernels require [N, H, W, C], where the channels of one
// pixel are contiguous. The pass transposes the operand of every operator with a channel axis to
// channels last, and its result back:
//
//   y = Conv(x)      becomes      y = Transpose(Conv(Transpose(x, [0,2,3,1])), [0,3,1,2])
//
// This is correct for every graph, but slow. Later passes move the Transposes together
// (transpose-sink, concat-axis-normalize, transpose-hoist), cancel pairs (transpose-cancel) and
// move the remaining ones to the interface (input- and output-transpose-trim). Weights keep ONNX
// order; the emitter lays them out. Rank-3 sequences [N, C, L] become [N, L, C] in the same way.
#include "tigris/Transforms/LayoutUtils.h"
#include "tigris/Transforms/Passes.h"

namespace tigris {

namespace {

constexpr const char* LayoutAssignDoc =
    R"(The graph changes from channels-first to channels-last. Each operator with a channel axis is
wrapped in a pair of Transposes, which later passes cancel:

    y = Conv(x)    ->   y = Transpose(Conv(Transpose(x, [0, 2, 3, 1])), [0, 3, 1, 2]))";

/// Permutes values per dimension; with `axes` only the axes are renumbered.
void permuteResize(Op& op, size_t rank, const Perm& toLast) {
  const Perm place = inversePerm(toLast);
  if (op.attrs.has("axes")) {
    std::vector<int64_t> axes = op.attrs.getInts("axes");
    for (int64_t& axis : axes)
      axis = place[*normalizeAxis(axis, rank)];
    op.attrs.set("axes", axes);
    return;
  }
  const auto reorder = [&](const auto& values) {
    auto moved = values;
    for (size_t i = 0; i < toLast.size() && values.size() == toLast.size(); ++i)
      moved[i] = values[static_cast<size_t>(toLast[i])];
    return moved;
  };
  if (op.attrs.has("scales"))
    op.attrs.set("scales", reorder(op.attrs.getFloats("scales")));
  if (op.attrs.has("sizes"))
    op.attrs.set("sizes", reorder(op.attrs.getInts("sizes")));
}

PassStatus layoutAssign(Graph& graph, PassContext&) {
  if (graph.layout() == Layout::ChannelsLast)
    return PassStatus::Unchanged;
  const std::vector<OpId> order = graph.order();
  for (const OpId id : order) {
    const Op& op = graph.op(id);
    if (opInfo(op.kind).order != OrderRule::Channels)
      continue;
    const size_t rank = graph.tensor(op.input(0)).shape.rank();
    if (rank < 3)
      continue;
    const Perm toLast = channelsLastPerm(rank);
    graph.setInput(id, 0, insertTransposeBefore(graph, id, op.input(0), toLast));
    transposeResult(graph, id, 0, channelsFirstPerm(rank));
    if (op.kind == OpKind::Resize)
      permuteResize(graph.editOp(id), rank, toLast);
  }
  graph.setLayout(Layout::ChannelsLast);
  return PassStatus::Changed;
}

} // namespace

PassInfo layoutAssignPass() {
  return functionPass("layout-assign",
                      "spatial operators become channels-last, with explicit transposes",
                      LayoutAssignDoc, layoutAssign);
}

} // namespace tigris
