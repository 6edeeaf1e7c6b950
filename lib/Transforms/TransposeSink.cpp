// transpose-sink: moves Transposes below operators that do not care about the order of dimensions.
//
//   Relu(Transpose(x))                       becomes   Transpose(Relu(x))
//   Add(Transpose(x), Transpose(y))          becomes   Transpose(Add(x, y))
//   Mul(Transpose(x, [0,3,1,2]), c[C,1,1])   becomes   Transpose(Mul(x, c'[1,1,1,C]), [0,3,1,2])
//
// Downward only, so that Transposes meet the opposite ones of the next spatial operator and cancel. When
// not every operand is a Transpose of the same kind, the move happens only if the others cost nothing
// (constants, tensors whose permuted dimensions have size 1) or if it carries a channels-last to
// channels-first Transpose towards the next spatial operator; that direction is what keeps the pass from going
// in circles. Concat has a pass of its own, concat-axis-normalize.
#include "tigris/Transforms/TransposeSink.h"
#include "tigris/Transforms/LayoutUtils.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/QuantUtils.h"

#include <algorithm>

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

/// The permutation to pull through the op, if that pays.
std::optional<Perm> profitablePerm(const Graph& graph, const Op& op) {
  std::optional<Perm> perm;
  for (const TensorId input : op.inputs)
    if (input && !perm)
      perm = transposePerm(graph, input);
  if (!perm || graph.tensor(op.output()).shape.rank() > perm->size())
    return std::nullopt;
  const bool towardsSpatial = perm->size() > 3 && *perm == channelsFirstPerm(perm->size());
  for (const TensorId input : op.inputs)
    if (input && transposePerm(graph, input) != perm && !isFree(graph, input, *perm) &&
        !towardsSpatial)
      return std::nullopt;
  return perm;
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
    const Op op = graph.op(id);
    const std::optional<Perm> perm = profitablePerm(graph, op);
    if (!perm)
      continue;
    permuteOp(graph, id, *perm);
    for (const TensorId input : op.inputs)
      if (input)
        eraseIfDead(graph, graph.producer(input));
    changed = true;
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
