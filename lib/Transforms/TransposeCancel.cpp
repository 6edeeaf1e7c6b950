// transpose-cancel: removes Transposes that do nothing, alone or in pairs.
//
//   Transpose(Transpose(x, p), q)     becomes   Transpose(x, q after p), or x when that is the identity
//   Transpose(constant)               becomes   a constant in the new order
//   Transpose(x[N,1,1,C])             becomes   Reshape(x), which costs nothing: only dimensions of
//                                               size 1 change places, the bytes stay
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/LayoutUtils.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/QuantUtils.h"

namespace tigris {

namespace {

constexpr const char* TransposeCancelDoc =
    R"(Pairs of Transposes merge or vanish, Transposes of constants are evaluated, and
those that only move dimensions of size 1 become Reshapes:

    Transpose(Transpose(x, [0, 3, 1, 2]), [0, 2, 3, 1])    ->   x)";

bool simplify(Graph& graph, OpId id) {
  const Op op = graph.op(id);
  const TensorId result = op.output();
  TensorId source = op.input(0);
  Perm perm = *transposePerm(graph, result);
  bool changed = false;
  if (const auto inner = transposePerm(graph, source)) {
    const OpId producer = graph.producer(source);
    source = graph.op(producer).input(0);
    perm = composePerm(*inner, perm);
    graph.setInput(id, 0, source);
    graph.editOp(id).attrs.set("perm", perm);
    eraseIfDead(graph, producer);
    changed = true;
  }
  // A model output must not become a model input or constant by losing its only op.
  const bool removable = !graph.isGraphOutput(result) || graph.producer(source);
  if (isIdentityPerm(perm) && removable) {
    graph.eraseOp(id);
    graph.replaceAllUses(result, source);
    return true;
  }
  if (graph.tensor(source).isConstant() && !graph.isGraphOutput(result)) {
    const TensorId folded = transposeConstant(graph, source, perm);
    graph.eraseOp(id);
    graph.replaceAllUses(result, folded);
    return true;
  }
  // At the interface the trims do better: they make the order a property of the port.
  const bool atInterface = graph.isGraphInput(source) || graph.isGraphOutput(result);
  if (!atInterface && keepsElementOrder(graph.tensor(source).shape, perm)) {
    Op& edited = graph.editOp(id);
    edited.kind = OpKind::Reshape;
    edited.attrs = AttrMap();
    edited.attrs.set("shape", graph.tensor(result).shape.dims());
    return true;
  }
  return changed;
}

PassStatus transposeCancel(Graph& graph, PassContext&) {
  bool changed = false;
  const std::vector<OpId> order = graph.order();
  for (const OpId id : order)
    if (graph.contains(id) && graph.op(id).kind == OpKind::Transpose)
      changed |= simplify(graph, id);
  if (changed)
    graph.eraseUnusedTensors();
  return changedIf(changed);
}

} // namespace

PassInfo transposeCancelPass() {
  return functionPass("transpose-cancel",
                      "transposes that undo each other or move nothing disappear",
                      TransposeCancelDoc, transposeCancel);
}

} // namespace tigris
