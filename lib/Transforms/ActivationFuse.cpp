// activation-fuse: fuses clamps into the preceding operator.
//
//   Relu(Conv(x))     becomes     Conv(x) with activation Relu
#include "tigris/Pass/Rewrite.h"
#include "tigris/Support/Remarks.h"
#include "tigris/Transforms/Passes.h"

namespace tigris {

namespace {

constexpr const char* ActivationFuseDoc =
    R"(A kernel clamps its result at no cost while the value is in a register. A separate Relu reads
and writes the whole tensor again and keeps two copies alive:

    t = Conv(x, w)
    y = Relu(t)        ->   y = Conv(x, w) act Relu

Relu, Relu6 and Clip fuse into any operator whose row in Ops.def has act_min, if the tensor in
between has no other reader. Int8 tensors must have equal scales and zero points on both sides:
otherwise the clamp also requantizes, and doing both at once would round differently. The pass runs
after all passes that relabel or rewire operators.)";

std::optional<Activation> activationOf(const Op& op) {
  switch (op.kind) {
  case OpKind::Relu:
    return Activation::Relu;
  case OpKind::Relu6:
    return Activation::Relu6;
  case OpKind::Clip:
    return op.inputs.size() == 1 ? std::optional(Activation::Clip) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// Why the clamp cannot become part of the operator before it; empty if it can.
std::string obstacleToFuse(const Graph& graph, const Op& clamp, OpId before) {
  const TensorId between = clamp.input(0);
  if (!before)
    return "its operand is a model input or a constant";
  const Op& op = graph.op(before);
  if (!opInfo(op.kind).attribute("act_min"))
    return strCat("op '", op.name, "' (", op.kindName(), ") before it cannot clamp its result");
  if (op.act != Activation::None)
    return strCat("op '", op.name, "' before it clamps its result already");
  if (!graph.hasSingleUse(between))
    return strCat("tensor '", graph.tensor(between).name, "' between them has other readers");
  if (!sameQuant(graph, between, clamp.output()))
    return "its operand and its result are quantized differently";
  return {};
}

PassStatus activationFuse(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    const auto act = activationOf(op);
    if (!act || !hasKnownTypes(graph, id))
      return false;
    const TensorId between = op.input(0);
    const OpId target = graph.producer(between);
    if (const std::string obstacle = obstacleToFuse(graph, op, target); !obstacle.empty())
      return remarkOn(op, "not-fused", obstacle);
    if (*act == Activation::Clip) {
      const AttrMap bounds = op.attrs;
      AttrMap& attrs = graph.editOp(target).attrs;
      if (bounds.has("min"))
        attrs.set("act_min", bounds.getFloat("min"));
      if (bounds.has("max"))
        attrs.set("act_max", bounds.getFloat("max"));
    }
    graph.editOp(target).act = *act;
    takeOverResults(graph, target, id);
    return true;
  });
}

} // namespace

PassInfo activationFusePass() {
  return functionPass("activation-fuse", "Relu, Relu6 and Clip fuse into the preceding operator",
                      ActivationFuseDoc, activationFuse);
}

} // namespace tigris
