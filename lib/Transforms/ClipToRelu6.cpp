// clip-to-relu6: clamps with the bounds of Relu or Relu6 become these operators.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <limits>

namespace tigris {

namespace {

constexpr const char* ClipToRelu6Doc =
    R"(Exporters write Relu6 as Clip. As Relu6 it can fuse into the preceding operator, without
bounds to store:

    y = Clip(x) {max: 6, min: 0}     ->   y = Relu6(x)
    y = Clip(x) {min: 0}             ->   y = Relu(x)

A Clip without bounds disappears.)";

constexpr double Unbounded = std::numeric_limits<float>::max();

bool isOne(const Graph& graph, OpId id) {
  const Op& op = graph.op(id);
  return op.kind == OpKind::Clip && op.inputs.size() == 1 && hasKnownTypes(graph, id);
}

PassStatus clipToRelu6(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    if (!isOne(graph, id))
      return false;
    const Op& op = graph.op(id);
    const double low = op.attrs.getFloat("min", -Unbounded);
    const double high = op.attrs.getFloat("max", Unbounded);
    if (low == 0 && (high == 6 || high >= Unbounded)) {
      rewriteInPlace(graph, id, high == 6 ? OpKind::Relu6 : OpKind::Relu, {op.input(0)}, {});
      return true;
    }
    if (low > -Unbounded || high < Unbounded || !sameQuant(graph, op.input(0), op.output()))
      return false;
    replaceByValue(graph, id, op.input(0));
    return true;
  });
}

} // namespace

PassInfo clipToRelu6Pass() {
  return functionPass("clip-to-relu6", "Clip from 0 to 6 becomes Relu6, from 0 upward Relu",
                      ClipToRelu6Doc, clipToRelu6);
}

} // namespace tigris
