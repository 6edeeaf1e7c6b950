// transpose-sink: moves Transposes below operators that are independent of the order of dimensions.
//
//   Relu(Transpose(x))                       becomes   Transpose(Relu(x))
//   Add(Transpose(x), Transpose(y))          becomes   Transpose(Add(x, y))
//   Mul(Transpose(x, [0,3,1,2]), c[C,1,1])   becomes   Transpose(Mul(x, c'[1,1,1,C]), [0,3,1,2])
//   MaxPool(Transpose(x, [0,2,1,3]))         becomes   Transpose(MaxPool'(x), [0,2,1,3])
//
// Transposes only move down. There they meet the inverse Transposes of the next spatial operator
// and cancel:
//
//   Conv -> T[0,3,1,2] -> Relu -> T[0,2,3,1] -> Conv        after layout-assign
//   Conv -> Relu -> T[0,3,1,2] -> T[0,2,3,1] -> Conv        after transpose-sink
//   Conv -> Relu -> Conv                                    after transpose-cancel
//
// If an operand is not a Transpose by the same permutation, the Transpose moves only if the other
// operands cost nothing (constants, or tensors whose permuted dimensions have size 1), or if it is
// a channels-last to channels-first Transpose, which is inverse to the next spatial operator's.
// Concat has its own pass, concat-axis-normalize. A Transpose that keeps the order of elements
// moves only if no operand gets one instead: otherwise it would stay between an operator on
// [N,C,1,1] and its neighbors on [N,1,1,C], as a Reshape.
//
// Termination, together with transpose-regroup and transpose-cancel: consider only Transposes that
// move elements. Give each a pair (distance, kind): the distance of the operator that reads it from
// the model's outputs, and whether it is channels-last to channels-first. A move removes one
// Transpose before its operator. The Transposes that it adds before the operator are of the other
// kind, or are composed with existing ones; those that it adds after the operator are nearer to the
// outputs. transpose-cancel merges two into the one nearer to the outputs, or removes some. The
// list of pairs in descending order therefore decreases lexicographically with each change, which
// cannot go on forever. A Transpose that keeps the order of elements may reappear at other operands
// in such a move. Between two of them its own moves only bring it nearer to the outputs.
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
    Add(Transpose(x), Transpose(y))    ->   Transpose(Add(x, y))

A swap of rows and columns also moves below a window, whose sizes, strides, pads and weights are
swapped instead.)";

bool isFree(const Graph& graph, TensorId id, const Perm& perm) {
  const Tensor& tensor = graph.tensor(id);
  if (tensor.isConstant())
    return true;
  std::vector<int64_t> dims(perm.size() - std::min(perm.size(), tensor.shape.rank()), 1);
  dims.insert(dims.end(), tensor.shape.begin(), tensor.shape.end());
  return keepsElementOrder(Shape(dims), inversePerm(perm));
}

/// Whether it pays to move `perm`, which operand `moving` has.
bool pays(const Graph& graph, const Op& op, size_t moving, const Perm& perm) {
  const bool movesElements = movingPerm(graph, op.input(moving)).has_value();
  if (movesElements && perm.size() > 3 && perm == channelsFirstPerm(perm.size()))
    return true;
  const std::vector<size_t> slots = permutedSlots(op);
  return std::all_of(slots.begin(), slots.end(), [&](size_t slot) {
    const TensorId id = op.input(slot);
    return transposePerm(graph, id) == perm ||
           (movesElements ? isFree(graph, id, perm) : graph.tensor(id).isConstant());
  });
}

/// A permutation that is profitable to move through the op, if there is one.
std::optional<Perm> profitablePerm(const Graph& graph, OpId id) {
  const Op& op = graph.op(id);
  const size_t rank = graph.tensor(op.output()).shape.rank();
  for (const size_t slot : permutedSlots(op)) {
    std::optional<Perm> perm = transposePerm(graph, op.input(slot));
    if (perm && perm->size() >= rank && isPermutable(graph, id, *perm) &&
        pays(graph, op, slot, *perm))
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
    if (!graph.contains(id) || !handles(graph.op(id).kind))
      continue;
    while (const std::optional<Perm> perm = profitablePerm(graph, id)) {
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
