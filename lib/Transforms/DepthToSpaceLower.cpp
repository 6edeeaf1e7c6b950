// depth-to-space-lower: DepthToSpace and SpaceToDepth become Reshape, Transpose, Reshape.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

namespace tigris {

namespace {

constexpr const char* DepthToSpaceLowerDoc =
    R"(DepthToSpace and SpaceToDepth are defined as a Transpose between two Reshapes (ONNX, both
operator pages), and that is what the runtime executes:

    y = DepthToSpace(x) {blocksize: 2}     # x [1, 8, 4, 4]
    ->
    a = Reshape(x) {shape: [1, 2, 2, 2, 4, 4]}
    b = Transpose(a) {perm: [0, 3, 4, 1, 5, 2]}
    y = Reshape(b) {shape: [1, 2, 8, 8]}

Mode CRD splits the channels in the opposite order. The formulas are for channels-first order, so
the pass runs before layout assignment.)";

using Ints = std::vector<int64_t>;

struct Lowering {
  Ints blocks;
  Ints perm;
};

Lowering loweringOf(const Op& op, const Shape& x) {
  const int64_t b = op.attrs.getInt("blocksize", 1);
  if (op.kind == OpKind::SpaceToDepth)
    return {{x[0], x[1], x[2] / b, b, x[3] / b, b}, {0, 3, 5, 1, 2, 4}};
  const int64_t depth = x[1] / (b * b);
  if (op.attrs.getString("mode", "DCR") == "CRD")
    return {{x[0], depth, b, b, x[2], x[3]}, {0, 1, 4, 2, 5, 3}};
  return {{x[0], b, b, depth, x[2], x[3]}, {0, 3, 4, 1, 5, 2}};
}

PassStatus depthToSpaceLower(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if ((op.kind != OpKind::DepthToSpace && op.kind != OpKind::SpaceToDepth) ||
        graph.layout() != Layout::ChannelsFirst || !hasKnownTypes(graph, id) ||
        !sameQuant(graph, op.input(0), op.output()))
      return false;
    const Lowering lowering = loweringOf(op, graph.tensor(op.input(0)).shape);
    const std::optional<QuantParam> quant = graph.tensor(op.output()).quant;
    const Ints target = graph.tensor(op.output()).shape.dims();
    const TensorId blocks = insertResult(
        graph, id,
        makeOpLike(graph, id, OpKind::Reshape, {op.input(0)}, {{"shape", lowering.blocks}}), quant);
    const TensorId moved = insertResult(
        graph, id, makeOpLike(graph, id, OpKind::Transpose, {blocks}, {{"perm", lowering.perm}}),
        quant);
    rewriteInPlace(graph, id, OpKind::Reshape, {moved}, {{"shape", target}});
    return true;
  });
}

} // namespace

PassInfo depthToSpaceLowerPass() {
  return functionPass("depth-to-space-lower",
                      "DepthToSpace and SpaceToDepth become Reshape, Transpose, Reshape",
                      DepthToSpaceLowerDoc, depthToSpaceLower);
}

} // namespace tigris
