// shape-fold: every shape-changing operator becomes a Reshape with a constant target.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr const char* ShapeFoldDoc =
    R"(Shapes are static, so the target of a Reshape is the shape of its result, however it was
computed. The Shape, Gather and Concat operators that computed it become dead code. Flatten, Squeeze
and Unsqueeze are reshapes, too. Of consecutive Reshapes only the last remains, and a Reshape to the
same shape is removed:

    a = Reshape(x, Concat(...))       # result [1, 2, 4, 8, 8]
    b = Flatten(a)                    # result [1, 512]
    ->
    b = Reshape(x) {shape: [1, 512]})";

bool changesShapeOnly(OpKind kind) {
  return kind == OpKind::Reshape || kind == OpKind::Flatten || kind == OpKind::Squeeze ||
         kind == OpKind::Unsqueeze;
}

PassStatus shapeFold(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if (!changesShapeOnly(op.kind) || !hasKnownTypes(graph, id))
      return false;
    bool changed = false;
    const Shape shape = graph.tensor(op.output()).shape;
    AttrMap attrs = {{"shape", shape.dims()}};
    // Otherwise a 0 in the target means "as in the operand".
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
      attrs.set("allowzero", int64_t{1});
    if (op.kind != OpKind::Reshape || op.inputs.size() != 1 || op.attrs != attrs) {
      rewriteInPlace(graph, id, OpKind::Reshape, {op.input(0)}, std::move(attrs));
      changed = true;
    }
    const OpId before = graph.producer(op.input(0));
    if (before && graph.op(before).kind == OpKind::Reshape && hasKnownTypes(graph, before) &&
        sameQuant(graph, graph.op(before).input(0), op.input(0))) {
      addOrigin(graph.editOp(id), graph.op(before));
      graph.setInput(id, 0, graph.op(before).input(0));
      changed = true;
    }
    const Tensor& from = graph.tensor(op.input(0));
    if (from.shape == shape && sameQuant(graph, op.input(0), op.output()) &&
        !isOutputCopy(graph, id)) {
      replaceByValue(graph, id, op.input(0));
      changed = true;
    }
    return changed;
  });
}

} // namespace

PassInfo shapeFoldPass() {
  return functionPass("shape-fold",
                      "operators that only change a shape become one Reshape with a static target",
                      ShapeFoldDoc, shapeFold);
}

} // namespace tigris
