// Looks up placements in the plan.
#include "tigris/Check/Locations.h"

#include "tigris/Support/Check.h"

namespace tigris {

Locations::Locations(const Graph& graph, const Plan& plan)
    : graph_(&graph), plan_(&plan), aliases_(graph, graph.order()) {
  for (const Stage& stage : plan.stages) {
    auto& placed = fast_.emplace_back();
    auto& residents = residents_.emplace_back();
    for (const Placement& placement : stage.wholeTensors())
      (stage.parts() != nullptr ? residents : placed).emplace(placement.tensor, placement.offset);
    uint64_t index = 0;
    stage.eachBuffer([&](const PartBuffer& buffer) { placed.emplace(buffer.tensor, index++); });
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
  const StageMode mode = plan_->stages.at(stage).mode();
  if (mode == StageMode::Direct)
    return findBacking(stage, tensor);
  const auto placed = fast_.at(stage).find(tensor);
  if (placed != fast_.at(stage).end())
    return {worksOnParts(mode) ? Memory::Tile : Memory::Fast, placed->second};
  return worksOnParts(mode) ? Location{} : findOutside(tensor);
}

Location Locations::findCaller(TensorId tensor) const {
  if (plan_->io != IoMode::Caller)
    return {};
  const TensorId port = aliases_.interfaceTensor(tensor);
  return port ? Location{Memory::Caller, ports_.at(port)} : Location{};
}

Location Locations::findBacking(size_t stage, TensorId tensor) const {
  const auto resident = residents_.at(stage).find(tensor);
  if (resident != residents_.at(stage).end())
    return {Memory::Fast, resident->second};
  return findOutside(tensor);
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
  switch (plan_->io) {
  case IoMode::Slow:
    return findSlow(port.tensor);
  case IoMode::Caller:
    return {Memory::Caller, ports_.at(port.tensor)};
  case IoMode::Arena:
    break;
  }
  Location result;
  for (const auto& placed : fast_) {
    const auto found = placed.find(port.tensor);
    if (found == placed.end())
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
