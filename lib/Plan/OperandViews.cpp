// Inserts a Reshape before each product of a tensor with itself.
#include "tigris/Plan/OperandViews.h"

namespace tigris {

size_t insertOperandViews(Graph& graph) {
  size_t count = 0;
  const std::vector<OpId> order = graph.order();
  for (const OpId id : order) {
    const Op& op = graph.op(id);
    const TensorId operand = op.input(0);
    if (opInfo(op.kind).opClass != OpClass::Product || operand != op.input(1) ||
        graph.tensor(operand).isConstant())
      continue;
    Tensor view = graph.tensor(operand);
    view.name = graph.uniqueName(view.name);
    Op reshape;
    reshape.kind = OpKind::Reshape;
    reshape.name = graph.uniqueName(op.name + "_view");
    reshape.origin = op.origin;
    reshape.attrs.set("shape", view.shape.dims());
    reshape.inputs = {operand};
    reshape.outputs = {graph.addTensor(std::move(view))};
    const TensorId result = reshape.outputs[0];
    graph.insertBefore(id, std::move(reshape));
    graph.setInput(id, 1, result);
    ++count;
  }
  return count;
}

} // namespace tigris
