// transpose-hoist: moves a Transpose up to a model input when everything between is indifferent to order.
//
//   input -> Sub(mean) -> Div(std) -> Transpose -> Conv
//     becomes   input -> Transpose -> Sub(mean') -> Div(std') -> Conv
//
// where input-transpose-trim turns it into a property of the interface. A Transpose moves only if every path
// upwards ends in a model input, a constant or another Transpose: otherwise it would merely sit
// elsewhere.
#include "tigris/Transforms/LayoutUtils.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/QuantUtils.h"

#include <algorithm>
#include <set>

namespace tigris {

namespace {

constexpr const char* TransposeHoistDoc =
    R"(A Transpose above which only element-wise operators stand moves up to the model
input, where it becomes part of the interface:

    input -> Sub -> Div -> Transpose -> Conv    ->   input -> Transpose -> Sub -> Div -> Conv)";

/// Tensors that can be had in another order without a Transpose at run time.
std::set<TensorId> absorbingTensors(const Graph& graph) {
  std::set<TensorId> absorbing;
  for (const Port& port : graph.inputs())
    if (graph.hasSingleUse(port.tensor))
      absorbing.insert(port.tensor);
  for (const OpId id : graph.order()) {
    const Op& op = graph.op(id);
    if (op.outputs.size() != 1 || !graph.hasSingleUse(op.output()))
      continue;
    const bool transposes = op.kind == OpKind::Transpose;
    const bool passes =
        isPermutable(graph, id) &&
        std::all_of(op.inputs.begin(), op.inputs.end(), [&](TensorId input) {
          return !input || graph.tensor(input).isConstant() || absorbing.count(input) != 0;
        });
    if (transposes || passes)
      absorbing.insert(op.output());
  }
  return absorbing;
}

PassStatus transposeHoist(Graph& graph, PassContext&) {
  const std::set<TensorId> absorbing = absorbingTensors(graph);
  bool changed = false;
  // From the last op upwards: a Transpose that has moved above one op may move above the next.
  std::vector<OpId> work = graph.order();
  for (auto at = work.rbegin(); at != work.rend(); ++at) {
    const Op op = graph.op(*at);
    if (op.outputs.size() != 1 || absorbing.count(op.output()) == 0 ||
        op.kind == OpKind::Transpose || !isPermutable(graph, *at))
      continue;
    const OpId user = graph.users(op.output()).front();
    const auto perm = graph.op(user).kind == OpKind::Transpose
                          ? transposePerm(graph, graph.op(user).output())
                          : std::nullopt;
    if (!perm || perm->size() != graph.tensor(op.output()).shape.rank())
      continue;
    permuteOp(graph, *at, inversePerm(*perm));
    // The pair behind the op cancels at once, so that the ops above see a single reader again.
    const OpId restore = graph.users(graph.op(*at).output()).front();
    const TensorId result = graph.op(user).output();
    graph.eraseOp(user);
    graph.replaceAllUses(result, graph.op(*at).output());
    eraseIfDead(graph, restore);
    changed = true;
  }
  if (changed)
    graph.eraseUnusedTensors();
  return changedIf(changed);
}

} // namespace

PassInfo transposeHoistPass() {
  return functionPass("transpose-hoist", "transposes move up to model inputs", TransposeHoistDoc,
                      transposeHoist);
}

} // namespace tigris
