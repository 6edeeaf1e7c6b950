// One bound for plans of one stage, one for plans by rows, one for all others.
#include "tigris/Plan/Bounds/Bounds.h"

#include "tigris/Analysis/OrderSearch.h"
#include "tigris/Plan/Bounds/RowBound.h"
#include "tigris/Plan/Bounds/TrafficBound.h"
#include "tigris/Plan/Stage/RowAccess.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>

namespace tigris {

namespace {

/// No order of the graph as one stage has a lower peak than this. With rounded sizes, each buffer
/// but the one on top takes what rounding adds.
uint64_t anyOrderBound(const Graph& graph, const Plan& plan) {
  std::map<OpId, size_t> position;
  for (const OpId id : graph.order())
    position.emplace(id, position.size());
  std::vector<size_t> order;
  for (const OpId id : plan.stages[0].ops)
    order.push_back(position.at(id));
  const auto bound = [&](uint64_t align) {
    constexpr size_t Work = 1'000'000;
    return searchOrder(makeOrderProblem(graph, plan.io, align), {{order}}, Work).bound;
  };
  uint64_t padding = 0;
  for (const TensorId id : graph.tensors())
    if (!graph.tensor(id).isConstant())
      padding = std::max(padding,
                         alignUp(graph.tensor(id).bytes(), plan.align) - graph.tensor(id).bytes());
  const uint64_t rounded = bound(plan.align);
  return std::max(bound(1), rounded - std::min(rounded, padding));
}

/// What the finest cut of the op needs bounds tiled stages, unless a chain need not make all of its
/// result. A stream of it holds no less, but less of the executor's state, and rounds other sizes
/// up; a sink at least its sums. What lies with the caller it need not hold at all.
uint64_t needInAnyStage(const Graph& graph, const StageNeed& need, const Plan& plan) {
  if (!isNeededWhole(graph, graph.op(need.op).output()))
    return 0;
  if (std::none_of(plan.stages.begin(), plan.stages.end(),
                   [](const Stage& stage) { return stage.mode == StageMode::Streamed; }))
    return need.bytes;
  const Op& op = graph.op(need.op);
  for (const auto* operands : {&op.inputs, &op.outputs})
    for (const TensorId id : *operands)
      if (plan.io == IoMode::Caller && id && (graph.isGraphInput(id) || graph.isGraphOutput(id)))
        return 0;
  uint64_t buffers = op.outputs.size();
  for (const TensorId input : op.inputs)
    buffers += input && !graph.tensor(input).isConstant() ? 1 : 0;
  const uint64_t less = (Tiling::BoxBookkeepingBytes - Tiling::StreamBookkeepingBytes) * buffers +
                        (plan.align - 1) * (buffers + 1);
  const uint64_t bytes = need.bytes - std::min(need.bytes, less);
  AccessTable access(graph);
  RowTable rows(access);
  const RowAccess* byRows = rows.find(need.op);
  return byRows != nullptr && byRows->sumBytes != 0 ? std::min(bytes, byRows->sumBytes) : bytes;
}

} // namespace

void addBounds(const Graph& graph, const StageNeed& need, bool certificates, Plan& plan) {
  PlanBounds& bounds = plan.bounds;
  std::optional<uint64_t> ofRows;
  if (plan.stages.size() == 1 && plan.stages[0].mode == StageMode::Whole) {
    bounds = {anyOrderBound(graph, plan), plan.stats.trafficBytes(), "single-stage, any order"};
    plan.provenOptimal = plan.stats.fastPeakBytes == bounds.fastPeakBytes;
    return;
  }
  if (certificates && isRowPlan(plan))
    ofRows = rowPeakBound(graph, plan.io);
  bounds.slowTrafficBytes = plan.io == IoMode::Slow ? leastTraffic(graph) : 0;
  bounds.fastPeakBytes = ofRows.value_or(needInAnyStage(graph, need, plan));
  bounds.planClass = ofRows ? RowClass : "ops whole, in boxes or by rows, any order";
  plan.provenOptimal = ofRows && plan.stats.fastPeakBytes == *ofRows;
}

} // namespace tigris
