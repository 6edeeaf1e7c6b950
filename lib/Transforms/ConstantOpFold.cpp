// constant-op-fold: Constant operators become constant tensors.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

namespace tigris {

namespace {

constexpr const char* ConstantOpFoldDoc =
    R"(Some exporters store weights as `Constant` nodes instead of initializers. All other passes
ask a tensor whether it is constant and never look at its producer, so this pass runs first.

    c = Constant(value)
    y = Add(x, c)          ->   y = Add(x, value))";

PassStatus constantOpFold(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if (op.kind != OpKind::Constant || !op.output() || !hasKnownTypes(graph, id))
      return false;
    replaceByValue(graph, id, op.input(0));
    return true;
  });
}

} // namespace

PassInfo constantOpFoldPass() {
  return functionPass("constant-op-fold", "Constant operators become constant tensors",
                      ConstantOpFoldDoc, constantOpFold);
}

} // namespace tigris
