// Looks up placements in the plan.
#include "tigris/Check/Locations.h"

#include "tigris/Support/Check.h"

namespace tigris {

Locations::Locations(const Graph& graph, const Plan& plan)
    : graph_(&graph), plan_(&plan), aliases_(graph, graph.order()) {
  for (const Stage& stage : plan.stages) {
    auto& whole = whole_.emplace_back();
    for (const Placement& placement : stage.wholeTensors())
      whole.emplace(placement.tensor, placement.offset);
    auto& buffers = buffers_.emplace_back();
    uint64_t index = 0;
    stage.eachBuffer([&](const PartBuffer& buffer) { buffers.emplace(buffer.tensor, index++); });
  }
  for (const Placement& placement : plan.slow)
    slow_.emplace(placement.tensor, placement.offset);
  uint64_t index = 0;
  for (const auto* ports : {&graph.inputs(), &graph.outputs()})
    for (const Port& port : *ports)
      ports_.emplace(port.tensor, index++);
}

Location Locations::find(size_t stage, TensorId tensor) const {
  if (!tensor)
    return {};
  if (graph_->tensor(tensor).isConstant())
    return {Memory::Constant, 0};
  if (!worksOnParts(plan_->stages.at(stage).mode()))
    return findBacking(stage, tensor);
  const auto buffer = buffers_.at(stage).find(tensor);
  return buffer == buffers_.at(stage).end() ? Location{} : Location{Memory::Tile, buffer->second};
}

Location Locations::findCaller(TensorId tensor) const {
  if (plan_->io != IoMode::Caller)
    return {};
  const TensorId port = aliases_.interfaceTensor(tensor);
  return port ? Location{Memory::Caller, ports_.at(port)} : Location{};
}

Location Locations::findBacking(size_t stage, TensorId tensor) const {
  const auto whole = whole_.at(stage).find(tensor);
  return whole == whole_.at(stage).end() ? findOutside(tensor)
                                         : Location{Memory::Fast, whole->second};
}

Location Locations::findOutside(TensorId tensor) const {
  const Location caller = findCaller(tensor);
  return caller.memory == Memory::Caller ? caller : findSlow(tensor);
}

Location Locations::findSlow(TensorId tensor) const {
  const auto placed = slow_.find(tensor);
  return placed == slow_.end() ? Location{} : Location{Memory::Slow, placed->second};
}

Location Locations::findPort(const Port& port) const {
  if (graph_->tensor(port.tensor).isConstant())
    return {Memory::Constant, 0};
  switch (plan_->io) {
  case IoMode::Slow:
    return findSlow(port.tensor);
  case IoMode::Caller:
    return {Memory::Caller, ports_.at(port.tensor)};
  case IoMode::Arena:
    break;
  }
  Location result;
  for (const auto& whole : whole_) {
    const auto found = whole.find(port.tensor);
    if (found == whole.end())
      continue;
    result = {Memory::Fast, found->second};
    if (graph_->isGraphInput(port.tensor))
      break;
  }
  return result;
}

bool Locations::isView(size_t stage, const Op& op) const {
  if (op.kind != OpKind::Reshape)
    return false;
  const Location from = find(stage, op.input(0));
  return from.memory != Memory::None && from.memory != Memory::Constant &&
         from.memory != Memory::Tile && from == find(stage, op.output());
}

} // namespace tigris
