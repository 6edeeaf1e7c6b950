// Selects the bound: one for plans of one stage, one for plans by rows, one for all others.
#include "tigris/Plan/Bounds/Bounds.h"

#include "tigris/Analysis/OrderSearch.h"
#include "tigris/Analysis/Overflow.h"
#include "tigris/Analysis/RowPorts.h"
#include "tigris/IR/Repeats.h"
#include "tigris/Plan/Bounds/RowBound.h"
#include "tigris/Plan/Bounds/TrafficBound.h"
#include "tigris/Plan/Stage/RowAccess.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>

namespace tigris {

namespace {

bool isOneStage(const Plan& plan) {
  return plan.stages.size() == 1 && plan.stages[0].mode() == StageMode::Whole &&
         usedInSlow(plan, plan.stages[0]).empty();
}

/// A lower bound for the peak of the graph as one stage, in any order. With rounded sizes, the
/// buffer on top still need not be rounded, so the largest padding is subtracted.
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

/// A lower bound for the fast memory of any plan, derived from the op that needs most: `need` is
/// its need in the finest tiles. The bound is 0 if the model outputs need only a part of the op's
/// result, because a chain may then compute only that part. A streamed stage needs less bookkeeping
/// and rounds other sizes up, so a plan with streamed stages has a lower bound. If the op may be a
/// sink there, its sums are the bound if they are smaller. Tensors of the caller need no memory in
/// a streamed stage; if the op uses one, the bound is 0. Without an op it is 0.
uint64_t needInAnyStage(const Graph& graph, const StageNeed& need, const Plan& plan) {
  if (!need.op || !isNeededWhole(graph, graph.op(need.op).output()))
    return 0;
  if (std::none_of(plan.stages.begin(), plan.stages.end(),
                   [](const Stage& stage) { return stage.streamed() != nullptr; }))
    return need.bytes;
  const Op& op = graph.op(need.op);
  for (const auto* operands : {&op.inputs, &op.outputs})
    for (const TensorId id : *operands)
      if (plan.io == IoMode::Caller && id && (graph.isGraphInput(id) || graph.isGraphOutput(id)))
        return 0;
  uint64_t buffers = op.outputs.size();
  for (const TensorId input : op.inputs)
    buffers += input && !graph.tensor(input).isConstant() ? 1 : 0;
  const uint64_t less = (TiledStage::BookkeepingBytes - StreamedStage::BookkeepingBytes) * buffers +
                        (plan.align - 1) * (buffers + 1);
  const uint64_t bytes = need.bytes - std::min(need.bytes, less);
  AccessTable access(graph);
  RowTable rows(access);
  const RowAccess* byRows = rows.find(need.op);
  return byRows != nullptr && byRows->sumBytes != 0 ? std::min(bytes, byRows->sumBytes) : bytes;
}

} // namespace

void addBounds(const Graph& graph, const StageNeed& need, Plan& plan) {
  PlanBounds& bounds = plan.bounds;
  // Orders of the repeats prove nothing about the model.
  if (!hasRepeats(graph) && isOneStage(plan)) {
    bounds = {anyOrderBound(graph, plan), plan.stats.trafficBytes(), "single-stage, any order"};
    plan.provenOptimal = plan.stats.fastPeakBytes == bounds.fastPeakBytes;
    return;
  }
  bounds.slowTrafficBytes = plan.io == IoMode::Slow ? leastTraffic(graph) : 0;
  if (hasOverflow(graph, plan)) {
    bounds.planClass = "ops on slow memory, any order";
    return;
  }
  bounds.fastPeakBytes = needInAnyStage(graph, need, plan);
  bounds.planClass = "ops whole, in boxes or by rows, any order";
}

void addCertificate(const Graph& graph, size_t flows, Plan& plan) {
  if (hasRepeats(graph) || !isRowPlan(plan))
    return;
  const std::set<TensorId> byRows = portsByRows(graph, plan);
  const std::optional<uint64_t> bound = rowPeakBound(graph, plan.io, byRows, flows);
  // One stage is a smaller class of plans, so its bound may be higher.
  if (!bound || (!isOneStage(plan) && *bound < plan.bounds.fastPeakBytes))
    return;
  plan.bounds.fastPeakBytes = *bound;
  plan.bounds.planClass = byRows.empty() ? RowClass : PortRowClass;
  plan.provenOptimal = plan.stats.fastPeakBytes == *bound;
}

} // namespace tigris
