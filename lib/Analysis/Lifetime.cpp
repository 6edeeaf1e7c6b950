// Joins reshapes with their sources and computes first and last steps.
#include "tigris/Analysis/Lifetime.h"

#include <algorithm>

namespace tigris {

AliasSets::AliasSets(const Graph& graph, std::span<const OpId> order) {
  for (const auto* ports : {&graph.inputs(), &graph.outputs()})
    for (const Port& port : *ports)
      if (!graph.tensor(port.tensor).isConstant())
        interface_.emplace(port.tensor, port.tensor);
  for (const OpId id : order) {
    const Op& op = graph.op(id);
    if (op.kind != OpKind::Reshape)
      continue;
    const TensorId from = root(op.input(0));
    const TensorId to = root(op.output());
    if (graph.tensor(from).isConstant() || from == to)
      continue;
    const auto port = interface_.find(to);
    if (port != interface_.end()) {
      if (interface_.count(from) != 0)
        continue;
      interface_.emplace(from, port->second);
    }
    parent_.emplace(to, from);
  }
}

TensorId AliasSets::root(TensorId tensor) const {
  for (auto up = parent_.find(tensor); up != parent_.end(); up = parent_.find(tensor))
    tensor = up->second;
  return tensor;
}

TensorId AliasSets::interfaceTensor(TensorId tensor) const {
  const auto found = interface_.find(root(tensor));
  return found == interface_.end() ? TensorId() : found->second;
}

bool AliasSets::isView(const Op& op) const {
  return op.kind == OpKind::Reshape && root(op.input(0)) == root(op.output());
}

std::vector<LiveBuffer> computeLifetimes(const Graph& graph, std::span<const OpId> order,
                                         const AliasSets& aliases, IoMode io) {
  std::vector<LiveBuffer> buffers;
  std::map<TensorId, size_t> indexOfRoot;
  const auto touch = [&](TensorId tensor, size_t step) {
    if (!tensor || graph.tensor(tensor).isConstant() ||
        (io == IoMode::Caller && aliases.interfaceTensor(tensor)))
      return;
    const auto [entry, isNew] = indexOfRoot.emplace(aliases.root(tensor), buffers.size());
    const auto at = static_cast<uint32_t>(step);
    if (isNew)
      buffers.push_back({{}, graph.tensor(tensor).bytes(), at, at});
    LiveBuffer& buffer = buffers[entry->second];
    buffer.death = std::max(buffer.death, at);
    if (std::find(buffer.tensors.begin(), buffer.tensors.end(), tensor) == buffer.tensors.end())
      buffer.tensors.push_back(tensor);
  };

  for (const Port& port : graph.inputs())
    if (io == IoMode::Arena || !graph.users(port.tensor).empty())
      touch(port.tensor, 0);
  for (size_t step = 0; step < order.size(); ++step) {
    for (const TensorId input : graph.op(order[step]).inputs)
      touch(input, step);
    for (const TensorId output : graph.op(order[step]).outputs)
      touch(output, step);
  }
  for (const Port& port : graph.outputs())
    touch(port.tensor, order.empty() ? 0 : order.size() - 1);
  std::stable_sort(buffers.begin(), buffers.end(),
                   [](const LiveBuffer& a, const LiveBuffer& b) { return a.birth < b.birth; });
  return buffers;
}

} // namespace tigris
