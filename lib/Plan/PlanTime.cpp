// Adds the cost model's figures of the stages to the time of the elements, which every plan
// computes.
#include "tigris/Plan/PlanTime.h"

namespace tigris {

namespace {

/// Every element of every result once, with `calls` calls per op.
double workTime(const Graph& graph, uint64_t calls, const KernelCosts& costs) {
  double sum = 0;
  for (const OpId id : graph.order()) {
    const Op& op = graph.op(id);
    sum += kernelCost(costs, graph, op, calls, graph.tensor(op.output()).elements(), true);
  }
  return sum;
}

} // namespace

uint64_t costOf(const Graph& graph, const Plan& plan, const CostModel& costs) {
  uint64_t sum = 0;
  for (const Stage& stage : plan.stages)
    sum += costs.weights(graph, stage.ops, !worksOnParts(stage.mode()))
               .of(stage.stats.trafficBytes(), stage.stats.recomputeMacs, stage.stats.kernelCalls) +
           costs.lackingCost(graph, stage.ops, cutOf(stage));
  return sum;
}

uint64_t planTime(const Graph& graph, const Plan& plan, const Target& target,
                  const KernelCosts& costs) {
  const KernelChoice kernels(target.kernels, plan.scratch, costs);
  return static_cast<uint64_t>(workTime(graph, 0, costs)) +
         costOf(graph, plan, CostModel::latency(costs).withKernels(kernels));
}

uint64_t oneStageTime(const Graph& graph, uint64_t slowBytes, const KernelCosts& costs) {
  return static_cast<uint64_t>(workTime(graph, 1, costs) +
                               costs.slowByte * static_cast<double>(slowBytes));
}

} // namespace tigris
