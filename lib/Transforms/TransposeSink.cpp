// transpose-sink: moves Transposes below operators that do not care about the order of dimensions.
//
//   Relu(Transpose(x))                       becomes   Transpose(Relu(x))
//   Add(Transpose(x), Transpose(y))          becomes   Transpose(Add(x, y))
//   Mul(Transpose(x, [0,3,1,2]), c[C,1,1])   becomes   Transpose(Mul(x, c'[1,1,1,C]), [0,3,1,2])
//
// Downward only, so that Transposes meet the opposite ones of the next spatial operator and cancel. When
// not every operand is a Transpose of the same kind, the move happens only if the others cost nothing
// (constants, tensors whose permuted dimensions have size 1) or if it carries a channels-last to
// channels-first Transpose toward the next spatial operator. Concat has a pass of its own, concat-axis-normalize.
//
// Why this ends together with transpose-regroup and transpose-cancel: count only Transposes that move elements.
// Each stands before an operator, some number of operators away from the model's outputs, and is either channels
// last to first or not. A move takes one from before its operator. What it puts there instead is of the other
// kind, or composed with what already stood there; the rest stands behind the operator, nearer to the outputs.
// transpose-cancel merges two into the one nearer to the outputs, or removes some. So the list of
// (distance, kind), greatest first, falls with each change, and it cannot fall for ever. A Transpose that keeps the
// order of elements is no reason to move anything: it may reappear at another operand as often as it likes.
#include "tigris/Transforms/TransposeSink.h"
#include "tigris/Transforms/LayoutUtils.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/QuantUtils.h"

#include <algorithm>
#include <set>

namespace tigris {

namespace {

constexpr const char* TransposeSinkDoc =
    R"(Transposes move below operators that only need their axes renumbered:

    Relu(Transpose(x))                 ->   Transpose(Relu(x))
    Add(Transpose(x), Transpose(y))    ->   Transpose(Add(x, y)))";

bool isFree(const Graph& graph, TensorId id, const Perm& perm) {
  const Tensor& tensor = graph.tensor(id);
  if (tensor.isConstant())
    return true;
  std::vector<int64_t> dims(perm.size() - std::min(perm.size(), tensor.shape.rank()), 1);
  dims.insert(dims.end(), tensor.shape.begin(), tensor.shape.end());
  return keepsElementOrder(Shape(dims), inversePerm(perm));
}

bool pays(const Graph& graph, const Op& op, const Perm& perm) {
  if (perm.size() > 3 && perm == channelsFirstPerm(perm.size()))
    return true;
  const std::vector<size_t> slots = permutedSlots(op);
  return std::all_of(slots.begin(), slots.end(), [&](size_t slot) {
    return transposePerm(graph, op.input(slot)) == perm || isFree(graph, op.input(slot), perm);
  });
}

/// The permutation to pull through the op, if one pays.
std::optional<Perm> profitablePerm(const Graph& graph, const Op& op) {
  const size_t rank = graph.tensor(op.output()).shape.rank();
  std::set<Perm> tried;
  for (const size_t slot : permutedSlots(op)) {
    std::optional<Perm> perm = movingPerm(graph, op.input(slot));
    if (perm && perm->size() >= rank && tried.insert(*perm).second && pays(graph, op, *perm))
      return perm;
  }
  return std::nullopt;
}

PassStatus transposeSink(Graph& graph, PassContext&) {
  return changedIf(sinkTransposes(graph, [](OpKind kind) { return kind != OpKind::Concat; }));
}

} // namespace

bool sinkTransposes(Graph& graph, bool (*handles)(OpKind)) {
  bool changed = false;
  const std::vector<OpId> order = graph.order();
  for (const OpId id : order) {
    if (!graph.contains(id) || !handles(graph.op(id).kind) || !isPermutable(graph, id))
      continue;
    while (const std::optional<Perm> perm = profitablePerm(graph, graph.op(id))) {
      const std::vector<TensorId> inputs = graph.op(id).inputs;
      permuteOp(graph, id, *perm);
      for (const TensorId input : inputs)
        if (input)
          eraseIfDead(graph, graph.producer(input));
      changed = true;
    }
  }
  if (changed)
    graph.eraseUnusedTensors();
  return changed;
}

PassInfo transposeSinkPass() {
  return functionPass("transpose-sink",
                      "transposes move below operators that ignore dimension order",
                      TransposeSinkDoc, transposeSink);
}

} // namespace tigris
