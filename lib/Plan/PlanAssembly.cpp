// Moves every stage to its base address and adds up the costs of the stages.
#include "tigris/Plan/PlanAssembly.h"

#include "tigris/Analysis/MacCount.h"
#include "tigris/Plan/Search/SpillLayout.h"
#include "tigris/Plan/StageMerge.h"

#include <utility>

namespace tigris {

namespace {

/// One stage with final addresses.
class StageAssembly {
public:
  StageAssembly(const Graph& graph, const StageDraft& draft, uint64_t base,
                const std::map<TensorId, uint64_t>& residents)
      : graph_(graph), draft_(draft), base_(base), residents_(residents) {}

  /// `held`: residents that the stage keeps, but does not use.
  Stage run(const std::vector<TensorId>& held) {
    stage_.ops = draft_.ops;
    stage_.loads = draft_.loads;
    stage_.spills = draft_.spills;
    stage_.peak = draft_.height == 0 ? 0 : base_ + draft_.height;
    stage_.stats = draft_.stats;
    std::visit([&](const auto& draft) { stage_.execution = execution(draft); }, draft_.execution);
    for (const TensorId tensor : held)
      hold(tensor);
    for (const Placement& placement : stage_.wholeTensors())
      stage_.peak =
          std::max(stage_.peak, placement.offset + graph_.tensor(placement.tensor).bytes());
    return std::move(stage_);
  }

private:
  void hold(TensorId tensor) {
    const Placement placement = {tensor, residents_.at(tensor)};
    if (auto* whole = std::get_if<WholeStage>(&stage_.execution))
      whole->placements.push_back(placement);
    else if (auto* tiled = std::get_if<TiledStage>(&stage_.execution))
      tiled->residents.push_back(placement);
    else if (auto* streamed = std::get_if<StreamedStage>(&stage_.execution))
      streamed->residents.push_back(placement);
  }

  WholeStage execution(const WholeDraft& draft) const {
    WholeStage whole;
    for (size_t i = 0; i < draft.buffers.size(); ++i)
      for (const TensorId tensor : draft.buffers[i].tensors)
        whole.placements.push_back({tensor, base_ + draft.layout.offsets[i]});
    for (const LiveBuffer& buffer : draft.pinned) {
      const auto resident = std::find_if(buffer.tensors.begin(), buffer.tensors.end(),
                                         [&](TensorId id) { return residents_.count(id) != 0; });
      for (const TensorId tensor : buffer.tensors)
        whole.placements.push_back({tensor, residents_.at(*resident)});
    }
    return whole;
  }

  static DirectStage execution(const DirectDraft& /*draft*/) { return {}; }
  TiledStage execution(const TiledDraft& draft) const { return moved(draft.stage); }
  StreamedStage execution(const StreamedDraft& draft) const { return moved(draft.stage); }

  template <typename Parts> Parts moved(Parts parts) const {
    parts.bookkeeping += base_;
    for (auto& buffer : parts.buffers)
      move(buffer);
    for (const TensorId tensor : draft_.residents)
      parts.residents.push_back({tensor, residents_.at(tensor)});
    return parts;
  }

  void move(PartBuffer& buffer) const { buffer.offset += base_; }
  void move(StreamBuffer& buffer) const {
    const auto resident = residents_.find(buffer.tensor);
    if (!buffer.inPlace)
      buffer.offset += base_;
    else if (resident != residents_.end())
      buffer.offset = resident->second;
    else
      buffer.offset = buffer.bytes = 0; // in the caller's buffer
  }

  const Graph& graph_;
  const StageDraft& draft_;
  uint64_t base_;
  const std::map<TensorId, uint64_t>& residents_;
  Stage stage_;
};

/// Places model inputs, then outputs, without overlaps: an input may be filled while outputs are
/// read. Returns the end of the last one.
uint64_t placeInterface(const Graph& graph, Plan& plan) {
  uint64_t end = 0;
  for (const auto* ports : {&graph.inputs(), &graph.outputs()})
    for (const Port& port : *ports) {
      if (graph.tensor(port.tensor).isConstant())
        continue; // in flash
      plan.slow.push_back({port.tensor, alignUp(end, plan.align)});
      end = plan.slow.back().offset + graph.tensor(port.tensor).bytes();
    }
  return end;
}

/// Model inputs in the arena that nothing reads. They need a place that the caller can write to
/// before the first stage.
std::vector<TensorId> unreadResidents(const Graph& graph, const ResidentLayout& residents) {
  std::vector<TensorId> result;
  for (const Port& port : graph.inputs())
    if (graph.users(port.tensor).empty() && residents.offsets.count(port.tensor) != 0)
      result.push_back(port.tensor);
  return result;
}

void addStages(const Graph& graph, const Cuts& cuts, Plan& plan) {
  PlanStats& stats = plan.stats;
  std::vector<TensorId> held = unreadResidents(graph, cuts.residents);
  for (size_t i = 0; i < cuts.drafts.size(); ++i) {
    plan.stages.push_back(
        StageAssembly(graph, cuts.drafts[i], cuts.residents.bases[i], cuts.residents.offsets)
            .run(std::exchange(held, {})));
    Stage& stage = plan.stages.back();
    stage.stats.recomputeMacs += repeatedMacs(graph, stage.ops);
    stats.fastPeakBytes = std::max(stats.fastPeakBytes, stage.peak);
    stats.slowReadBytes += stage.stats.slowReadBytes;
    stats.slowWriteBytes += stage.stats.slowWriteBytes;
    stats.kernelCalls += stage.stats.kernelCalls;
    stats.recomputeMacs += stage.stats.recomputeMacs;
  }
}

/// Adds the figures that follow from the graph alone, whatever the stages.
void addGraphStats(const Graph& graph, const Schedule& given, IoMode io, PlanStats& stats) {
  const auto bytes = [&](TensorId tensor) { return graph.tensor(tensor).bytes(); };
  for (const auto* ports : {&graph.inputs(), &graph.outputs()})
    for (const Port& port : *ports) {
      if (graph.tensor(port.tensor).isConstant())
        continue; // in flash
      stats.ioBytes += bytes(port.tensor);
      if (!graph.isGraphInput(port.tensor) || !graph.users(port.tensor).empty())
        stats.compulsoryBytes += bytes(port.tensor);
    }
  stats.macs = modelMacs(graph);
  const auto apart = computeLifetimes(graph, given.order, given.aliases, io);
  const MemoryTimeline timeline = computeTimeline(apart, given.order.size(), 1);
  stats.unscheduledPeakBytes = timeline.peak;
  if (!given.order.empty())
    stats.peakOp = given.order[timeline.peakStep];
}

} // namespace

CutOrder oneStageOf(const Graph& graph, const Schedule& schedule, IoMode io, uint64_t capacity) {
  StageDraft stage;
  stage.ops = schedule.order;
  stage.execution = WholeDraft{schedule.buffers, {}, schedule.layout};
  stage.height = schedule.layout.height;
  for (const OpId id : schedule.order)
    stage.stats.kernelCalls += schedule.aliases.isView(graph.op(id)) ? 0 : 1;
  if (io == IoMode::Slow) {
    for (const Port& port : graph.inputs())
      if (!graph.users(port.tensor).empty()) {
        stage.loads.push_back(port.tensor);
        stage.stats.slowReadBytes += graph.tensor(port.tensor).bytes();
      }
    for (const Port& port : graph.outputs()) {
      if (graph.tensor(port.tensor).isConstant())
        continue; // in flash
      stage.spills.push_back(port.tensor);
      stage.stats.slowWriteBytes += graph.tensor(port.tensor).bytes();
    }
  }
  return {{{std::move(stage)}, {{}, {0}, {capacity}}}, &schedule};
}

Plan assemblePlan(const PlanRequest& request, const CutOrder& choice) {
  const Graph& graph = request.graph();
  const Cuts& cuts = choice.cuts;
  Plan plan = request.emptyPlan();
  if (plan.io == IoMode::Slow)
    plan.stats.slowPeakBytes = placeInterface(graph, plan);
  addStages(graph, cuts, plan);
  if (plan.budget.slow)
    plan.stats.slowPeakBytes = placeSpills(graph, cuts.drafts, choice.schedule->aliases, plan.io,
                                           plan.align, plan.stats.slowPeakBytes, plan.slow);
  addGraphStats(graph, request.schedules().given(), plan.io, plan.stats);
  if (request.strategy().mergesStages)
    mergeStages(graph, plan);
  return plan;
}

} // namespace tigris
