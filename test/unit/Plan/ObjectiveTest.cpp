// The effect of --optimize: more calls for less traffic, the reverse, or the least memory.
#include "PassTesting.h"
#include "tigris/Check/PlanChecker.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/Stage/CostModel.h"
#include "tigris/Target/Target.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// 3x3 depthwise convolutions on 64 rows of 8 x 4, in int8; a stream of them needs a call per row
/// and op.
std::string filters(unsigned count) {
  std::string tensors = "  - {name: t0, type: int8, shape: [1, 64, 8, 4], quant: {scale: 1.0}}\n";
  std::string ops;
  for (unsigned i = 0; i < count; ++i) {
    tensors +=
        strCat("  - {name: t", i + 1, ", type: int8, shape: [1, 64, 8, 4], quant: {scale: 1.0}}\n");
    ops += strCat("  - {op: MaxPool, name: p", i, ", in: [t", i, "], out: [t", i + 1,
                  "], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}\n");
  }
  return strCat("form: normalized\nlayout: channels-last\ninputs:\n  - {name: t0}\noutputs:\n",
                "  - {name: t", count, "}\ntensors:\n", tensors, "ops:\n", ops);
}

Plan planFor(const Graph& graph, Objective optimize, uint64_t fast,
             const std::optional<KernelCosts>& costs = std::nullopt) {
  PlanOptions options;
  options.costs = costs;
  options.budget = {fast, 1 << 20, {}};
  options.optimize = optimize;
  options.target = "cortex-m4";
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE(plan);
  Graph copy = graph;
  applyPlan(copy, *plan);
  CHECK(bool(checkPlan(copy)));
  return *plan;
}

uint64_t memory(const Plan& plan) { return plan.stats.fastPeakBytes + plan.stats.slowPeakBytes; }
} // namespace

TEST_CASE("objective: weights of the target's costs") {
  const Graph graph = parseGraph(filters(2));
  const CostWeights plain = CostModel().weights(graph, graph.order(), false);
  CHECK(plain.of(100, 96, 7) == 106);
  CHECK(CostModel::traffic(2).weights(graph, graph.order(), false).of(100, 96, 7) == 148);
  const KernelCosts costs = findTarget("cortex-m4")->costs;
  const CostModel latency = CostModel::latency(costs);
  CHECK(latency.countsCalls());
  const double pool = costs.of(WorkClass::Pool).call;
  CHECK(latency.weights(graph, graph.order(), false).call ==
        doctest::Approx(pool + costs.partCall));
  CHECK(latency.weights(graph, graph.order(), true).call ==
        doctest::Approx(pool + costs.wholeCall));
  CHECK(latency.weights(graph, graph.order(), true).byte == costs.slowByte);
}

TEST_CASE("objective: latency takes traffic for fewer calls, memory takes both for less memory") {
  const Graph graph = parseGraph(filters(3));
  const uint64_t budget = 3000; // 4096 would hold two tensors
  const Plan least = planFor(graph, Objective::Traffic, budget);
  const Plan fast = planFor(graph, Objective::Latency, budget);
  const Plan small = planFor(graph, Objective::Memory, budget);
  CHECK(least.stats.trafficBytes() == least.stats.compulsoryBytes);
  CHECK(fast.stats.kernelCalls < least.stats.kernelCalls);
  // If calls are free compared with slow memory, latency equals traffic.
  KernelCosts slowMemory;
  slowMemory.slowByte = 1;
  CHECK(planFor(graph, Objective::Latency, budget, slowMemory).stats.trafficBytes() ==
        least.stats.trafficBytes());
  CHECK(memory(small) < memory(least));
  CHECK(memory(small) < memory(fast));
  CHECK(small.budget.fast == budget);
  CHECK(small.optimize == "memory");
  // A plan of one stage is optimal for traffic and latency.
  CHECK(planFor(graph, Objective::Latency, 5000).stages.size() == 1);
  CHECK(memory(planFor(graph, Objective::Memory, 5000)) <= memory(small));
}
