// repeat-to-gather: repetition along an axis (Tile, Expand) becomes a Gather with an index table.
#include "tigris/IR/ConstantEval.h"
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr const char* RepeatToGatherDoc =
    R"(Tile and Expand write elements of their operand several times. The runtime has no separate
kernel for them; a Gather per repeated axis does the same with an index table in flash:

    y = Tile(x, [1, 2])            # x [1, 3]
    ->
    y = Gather(x, [0, 1, 2, 0, 1, 2]) {axis: 1}

    y = Expand(x, [4, 1, 3])       # x [1, 3]
    ->
    t = Reshape(x) {shape: [1, 1, 3]}
    y = Gather(t, [0, 0, 0, 0]) {axis: 0})";

using Ints = std::vector<int64_t>;

TensorId repeatTable(Graph& graph, const std::string& name, int64_t from, int64_t to) {
  Ints indices(static_cast<size_t>(to));
  for (size_t i = 0; i < indices.size(); ++i)
    indices[i] = static_cast<int64_t>(i) % from;
  return graph.addConstant(name + ".indices", DType::Int64, Shape{to}, makeBlobOf(indices));
}

/// Bytes of the longest index table needed to expand `from` to `to`.
uint64_t longestTable(const Shape& from, const Shape& to) {
  int64_t longest = 0;
  for (size_t i = 0; i < to.rank(); ++i) {
    const bool added = i + from.rank() < to.rank();
    if ((added ? 1 : from[i + from.rank() - to.rank()]) != to[i])
      longest = std::max(longest, to[i]);
  }
  return static_cast<uint64_t>(longest) * sizeof(int64_t);
}

PassStatus repeatToGather(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op op = graph.op(id);
    if ((op.kind != OpKind::Tile && op.kind != OpKind::Expand) || !hasKnownTypes(graph, id) ||
        op.inputs.size() != 1 || !sameQuant(graph, op.input(0), op.output()))
      return false;
    const Shape target = graph.tensor(op.output()).shape;
    // finishNormalization reports the reason.
    if (longestTable(graph.tensor(op.input(0)).shape, target) > MaxMadeBytes)
      return false;
    const auto quant = graph.tensor(op.output()).quant;
    TensorId x = op.input(0);
    if (graph.tensor(x).shape.rank() < target.rank()) {
      Ints dims(target.rank() - graph.tensor(x).shape.rank(), 1);
      dims.insert(dims.end(), graph.tensor(x).shape.begin(), graph.tensor(x).shape.end());
      x = insertResult(graph, id, makeOpLike(graph, id, OpKind::Reshape, {x}, {{"shape", dims}}),
                       quant);
    }
    // The op itself becomes the Gather of the last repeated axis; the other axes get new ops before
    // it.
    Ints repeated;
    for (size_t axis = 0; axis < target.rank(); ++axis)
      if (graph.tensor(x).shape[axis] != target[axis])
        repeated.push_back(static_cast<int64_t>(axis));
    if (repeated.empty()) {
      rewriteInPlace(graph, id, OpKind::Reshape, {x}, {{"shape", target.dims()}});
      return true;
    }
    for (size_t i = 0; i < repeated.size(); ++i) {
      const auto axis = static_cast<size_t>(repeated[i]);
      const TensorId table = repeatTable(graph, op.name, graph.tensor(x).shape[axis], target[axis]);
      AttrMap attrs = {{"axis", repeated[i]}};
      if (i + 1 == repeated.size())
        rewriteInPlace(graph, id, OpKind::Gather, {x, table}, std::move(attrs));
      else
        x = insertResult(
            graph, id, makeOpLike(graph, id, OpKind::Gather, {x, table}, std::move(attrs)), quant);
    }
    return true;
  });
}

} // namespace

PassInfo repeatToGatherPass() {
  return functionPass("repeat-to-gather", "Tile and Expand become Gather", RepeatToGatherDoc,
                      repeatToGather);
}

} // namespace tigris
