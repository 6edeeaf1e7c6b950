// Finds outputs without a tensor of their own and inserts Reshapes that copy their tensors.
#include "tigris/Plan/PortCopies.h"

#include <set>

namespace tigris {

namespace {

/// Whether the bytes of a constant can be handed out as this output. The records of plans have one
/// scale per tensor.
bool mayBeConstant(const Port& port, const Tensor& constant) {
  return port.state.empty() && (!constant.quant || !constant.quant->perChannel());
}

/// Indices of the outputs that need a copy.
std::vector<size_t> sharedOutputs(const Graph& graph, bool copiesConstants) {
  std::vector<size_t> result;
  std::set<TensorId> taken;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const Port& port = graph.outputs()[i];
    const Tensor& tensor = graph.tensor(port.tensor);
    const bool isKept = tensor.isConstant() && !copiesConstants && mayBeConstant(port, tensor);
    if ((!graph.producer(port.tensor) && !isKept) || !taken.insert(port.tensor).second)
      result.push_back(i);
  }
  return result;
}

} // namespace

bool hasOwnOutputTensors(const Graph& graph) { return sharedOutputs(graph, false).empty(); }

size_t keepConstantOutputs(Graph& graph) {
  size_t removed = 0;
  for (const Port& port : graph.outputs()) {
    const OpId copy = graph.producer(port.tensor);
    if (!copy || graph.op(copy).kind != OpKind::Reshape || !graph.users(port.tensor).empty() ||
        graph.order().size() == 1)
      continue;
    const Tensor& source = graph.tensor(graph.op(copy).input(0));
    if (!source.isConstant() || !mayBeConstant(port, source))
      continue;
    const BlobRef data = source.data;
    graph.eraseOp(copy);
    graph.editTensor(port.tensor).data = data;
    ++removed;
  }
  if (removed != 0)
    graph.eraseUnusedTensors();
  return removed;
}

size_t insertPortCopies(Graph& graph, bool copiesConstants) {
  const std::vector<size_t> shared = sharedOutputs(graph, copiesConstants);
  for (const size_t index : shared) {
    const Port& port = graph.outputs()[index];
    const TensorId source = port.tensor;
    Tensor copy = graph.tensor(source);
    copy.name = graph.uniqueName(port.name);
    copy.data = nullptr;
    Op op;
    op.kind = OpKind::Reshape;
    op.name = graph.uniqueName(port.name + "_copy");
    op.attrs.set("shape", copy.shape.dims());
    op.inputs = {source};
    op.outputs = {graph.addTensor(std::move(copy))};
    const TensorId result = op.outputs[0];
    graph.addOp(std::move(op));
    graph.setOutputTensor(index, result);
  }
  return shared.size();
}

} // namespace tigris
