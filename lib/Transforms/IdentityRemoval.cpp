// identity-removal: removes operators that return their operand unchanged.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/LayoutUtils.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr const char* IdentityRemovalDoc =
    R"(Removes operators that copy their operand: Identity, Dropout of a trained model, Cast to the
same type, Transpose in the same order, Concat, Sum, Max and Min of one operand (empty operands do
not count), Pad by zero elements, Slice, Expand, Tile and Resize that keep the whole tensor, and
reductions over no axis. Later passes need not look through them.

    y = Identity(x)
    z = Relu(y)        ->   z = Relu(x)

If the operand is a model input or a constant and the result is a model output, a copying Reshape
remains, so that every model output has a producer.)";

bool allEqual(const std::vector<int64_t>& values, int64_t expected) {
  return std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == expected; });
}

bool reducesNothing(const Graph& graph, const Op& op, const KnownValues& values) {
  const auto axes = intArgument(op, values, "axes");
  return axes && (!*axes || (*axes)->empty()) &&
         (op.attrs.getInt("noop_with_empty_axes") != 0 ||
          graph.tensor(op.input(0)).shape.rank() == 0);
}

/// Whether every element keeps its position; true only if the operand and the result also have the
/// same shape.
bool keepsElements(const Graph& graph, const Op& op) {
  const KnownValues values(graph);
  const auto all = [&](std::string_view argument, int64_t expected) {
    const auto found = intArgument(op, values, argument);
    return found && *found && allEqual(**found, expected);
  };
  switch (op.kind) {
  case OpKind::Identity:
  case OpKind::Cast:
  case OpKind::Expand:
    return true;
  case OpKind::Concat:
  case OpKind::Sum:
  case OpKind::Max:
  case OpKind::Min:
    return op.inputs.size() == 1;
  case OpKind::Dropout: {
    const BlobRef training = op.input(2) ? values.find(op.input(2)) : nullptr;
    return !op.input(2) || (training && training->size() == 1 && training->bytes()[0] == 0);
  }
  case OpKind::Transpose:
    return isIdentityPerm(*transposePerm(graph, op.output()));
  case OpKind::Pad:
    return all("pads", 0);
  case OpKind::Tile:
    return all("repeats", 1);
  case OpKind::ScatterElements:
  case OpKind::ScatterND:
    return graph.tensor(op.input(1)).elements() == 0;
  case OpKind::Slice: {
    // The same size along every axis, and no negative steps.
    const auto steps = intArgument(op, values, "steps");
    return steps && (!*steps || allEqual(**steps, 1));
  }
  case OpKind::Resize:
    return op.attrs.getString("coordinate_transformation_mode") != "tf_crop_and_resize";
  default:
    return opInfo(op.kind).opClass == OpClass::Reduction && reducesNothing(graph, op, values);
  }
}

bool isIdentity(const Graph& graph, const Op& op) {
  if (op.inputs.empty() || !op.input(0) || !op.output())
    return false;
  for (size_t i = 1; i < op.outputs.size(); ++i)
    if (op.output(i) && (!graph.users(op.output(i)).empty() || graph.isGraphOutput(op.output(i))))
      return false;
  const Tensor& from = graph.tensor(op.input(0));
  const Tensor& to = graph.tensor(op.output());
  return from.type == to.type && from.shape == to.shape && from.quant == to.quant &&
         op.act == Activation::None && keepsElements(graph, op);
}

/// Removes operands of a Concat that have no elements.
bool dropEmptyParts(Graph& graph, OpId id) {
  const Op& op = graph.op(id);
  if (op.kind != OpKind::Concat || !hasKnownTypes(graph, id) ||
      graph.tensor(op.output()).elements() == 0)
    return false;
  std::vector<TensorId> parts;
  for (const TensorId part : op.inputs)
    if (graph.tensor(part).elements() != 0)
      parts.push_back(part);
  if (parts.size() == op.inputs.size())
    return false;
  graph.setInputs(id, std::move(parts));
  return true;
}

PassStatus identityRemoval(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const bool dropped = dropEmptyParts(graph, id);
    const Op& op = graph.op(id);
    if (!hasKnownTypes(graph, id) || !isIdentity(graph, op))
      return dropped;
    replaceByValue(graph, id, op.input(0));
    return true;
  });
}

} // namespace

PassInfo identityRemovalPass() {
  return functionPass("identity-removal", "operators without effect are removed",
                      IdentityRemovalDoc, identityRemoval);
}

} // namespace tigris
