// Counts the stages that access each port.
#include "tigris/Analysis/RowPorts.h"

#include "tigris/Analysis/Lifetime.h"

#include <algorithm>

namespace tigris {

namespace {

/// Model inputs and outputs that the stage's ops access.
std::set<TensorId> portsOf(const Graph& graph, const Stage& stage, const AliasSets& aliases) {
  std::set<TensorId> ports;
  for (const OpId id : stage.ops) {
    const Op& op = graph.op(id);
    if (aliases.isView(op))
      continue;
    for (const auto* operands : {&op.inputs, &op.outputs})
      for (const TensorId operand : *operands)
        if (operand && aliases.interfaceTensor(operand))
          ports.insert(aliases.interfaceTensor(operand));
  }
  return ports;
}

bool movesRowsOnce(const Graph& graph, const Stage& stage, TensorId port) {
  const StreamedStage* streamed = stage.streamed();
  const Shape& shape = graph.tensor(port).shape;
  if (streamed == nullptr || streamed->stripes != 1 || shape.rank() < 2 ||
      streamed->outer != shape[0])
    return false;
  const auto buffer =
      std::find_if(streamed->buffers.begin(), streamed->buffers.end(),
                   [&](const StreamBuffer& candidate) { return candidate.tensor == port; });
  return buffer != streamed->buffers.end() && !buffer->inPlace;
}

} // namespace

std::set<TensorId> portsByRows(const Graph& graph, const Plan& plan) {
  std::set<TensorId> result;
  if (plan.io != IoMode::Caller)
    return result;
  std::set<std::string> states;
  for (const Port& port : graph.outputs())
    if (!port.state.empty())
      states.insert({port.name, port.state});
  for (const Port& port : graph.inputs())
    if (states.count(port.name) == 0)
      result.insert(port.tensor);
  std::set<TensorId> written;
  for (const Port& port : graph.outputs())
    if (states.count(port.name) == 0)
      written.insert(port.tensor);
  const AliasSets aliases(graph, graph.order());
  std::set<TensorId> accessed;
  for (const Stage& stage : plan.stages)
    for (const TensorId port : portsOf(graph, stage, aliases)) {
      const bool isFirst = accessed.insert(port).second;
      if (!isFirst || !movesRowsOnce(graph, stage, port))
        result.erase(port);
      else if (written.count(port) != 0)
        result.insert(port);
    }
  return result;
}

} // namespace tigris
