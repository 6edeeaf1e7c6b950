// Finds outputs without a tensor of their own and inserts Reshapes that copy their tensors.
#include "tigris/Plan/PortCopies.h"

#include <set>

namespace tigris {

namespace {

/// Indices of the outputs that need a copy.
std::vector<size_t> sharedOutputs(const Graph& graph) {
  std::vector<size_t> result;
  std::set<TensorId> taken;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const TensorId tensor = graph.outputs()[i].tensor;
    if (!graph.producer(tensor) || !taken.insert(tensor).second)
      result.push_back(i);
  }
  return result;
}

} // namespace

bool hasOwnOutputTensors(const Graph& graph) { return sharedOutputs(graph).empty(); }

size_t insertPortCopies(Graph& graph) {
  const std::vector<size_t> shared = sharedOutputs(graph);
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
