// clip-to-relu6: clamps with the bounds of Relu or Relu6 become these operators.
#include "tigris/IR/ShapeInference.h"
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

Bounds may be attributes or constant operands. A Clip without bounds disappears.)";

constexpr double Unbounded = std::numeric_limits<float>::max();

/// `absent` if the op does not have the bound; nullopt if it depends on the model's inputs.
std::optional<double> boundOf(const Op& op, const KnownValues& values, std::string_view name,
                              double absent) {
  const auto found = floatArgument(op, values, name);
  if (!found)
    return std::nullopt;
  if (!*found)
    return absent;
  return (*found)->size() == 1 ? std::optional((*found)->front()) : std::nullopt;
}

PassStatus clipToRelu6(Graph& graph, PassContext&) {
  const KnownValues values(graph);
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if (op.kind != OpKind::Clip || !hasKnownTypes(graph, id))
      return false;
    const std::optional<double> low = boundOf(op, values, "min", -Unbounded);
    const std::optional<double> high = boundOf(op, values, "max", Unbounded);
    if (!low || !high)
      return false;
    if (*low == 0 && (*high == 6 || *high >= Unbounded)) {
      rewriteInPlace(graph, id, *high == 6 ? OpKind::Relu6 : OpKind::Relu, {op.input(0)}, {});
      return true;
    }
    if (*low > -Unbounded || *high < Unbounded || !sameQuant(graph, op.input(0), op.output()))
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
