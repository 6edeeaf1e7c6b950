// transpose-cancel: removes Transposes without effect, single or in pairs.
//
//   Transpose(Transpose(x, p), q)     becomes   Transpose(x, q after p), or x if that is identity
//   Transpose(x, p), Transpose(x, p)  becomes   one of them
//   Transpose(constant)               becomes   a constant in the new order
//   Transpose(x[N,1,1,C])             becomes   Reshape(x), which costs nothing: only dimensions of
//                                               size 1 change places, and the bytes stay in place
#include "tigris/Transforms/TransposeCancel.h"
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/LayoutUtils.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/QuantUtils.h"

#include <map>

namespace tigris {

namespace {

constexpr const char* TransposeCancelDoc =
    R"(Pairs of Transposes merge or cancel, equal Transposes become one, Transposes of constants are
evaluated, and those that only move dimensions of size 1 become Reshapes:

    Transpose(Transpose(x, [0, 3, 1, 2]), [0, 2, 3, 1])    ->   x)";

/// The results of the Transposes visited so far, by operand and permutation.
using Transposed = std::map<std::pair<TensorId, Perm>, TensorId>;

/// Redirects the readers of a Transpose to an equal earlier one.
bool merge(Graph& graph, OpId id, const Perm& perm, Transposed& seen) {
  const TensorId result = graph.op(id).output();
  const auto at = seen.try_emplace({graph.op(id).input(0), perm}, result).first;
  if (!graph.producer(at->second))
    at->second = result;
  if (at->second == result || graph.isGraphOutput(result) || !sameQuant(graph, result, at->second))
    return false;
  graph.eraseOp(id);
  graph.replaceAllUses(result, at->second);
  return true;
}

bool simplify(Graph& graph, OpId id, Transposed& seen) {
  const Op op = graph.op(id);
  const TensorId result = op.output();
  if (graph.users(result).empty() && !graph.isGraphOutput(result)) {
    graph.eraseOp(id);
    return true;
  }
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
  // Removing the only op between them would make a model output a model input or a constant.
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
  // At the interface the trim passes do better: they make the order a property of the port.
  const bool atInterface = graph.isGraphInput(source) || graph.isGraphOutput(result);
  if (!atInterface && reshapeInstead(graph, id))
    return true;
  return merge(graph, id, perm, seen) || changed;
}

PassStatus transposeCancel(Graph& graph, PassContext&) {
  return changedIf(cancelTransposes(graph));
}

} // namespace

bool reshapeInstead(Graph& graph, OpId transpose) {
  const TensorId result = graph.op(transpose).output();
  const Shape& source = graph.tensor(graph.op(transpose).input(0)).shape;
  if (!keepsElementOrder(source, *transposePerm(graph, result)))
    return false;
  Op& edited = graph.editOp(transpose);
  edited.kind = OpKind::Reshape;
  edited.attrs = AttrMap();
  edited.attrs.set("shape", graph.tensor(result).shape.dims());
  return true;
}

bool cancelTransposes(Graph& graph) {
  bool changed = false;
  Transposed seen;
  const std::vector<OpId> order = graph.order();
  for (const OpId id : order)
    if (graph.contains(id) && graph.op(id).kind == OpKind::Transpose)
      changed |= simplify(graph, id, seen);
  if (changed)
    graph.eraseUnusedTensors();
  return changed;
}

PassInfo transposeCancelPass() {
  return functionPass("transpose-cancel", "transposes that cancel or move nothing are removed",
                      TransposeCancelDoc, transposeCancel);
}

} // namespace tigris
