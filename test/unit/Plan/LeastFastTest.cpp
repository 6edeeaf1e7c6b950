// Plans with slow memory leave fast memory free that saves little time.
#include "tigris/Plan/Sweep/LeastFast.h"
#include "PassTesting.h"
#include "tigris/Check/PlanChecker.h"
#include "tigris/Plan/PlanTime.h"
#include "tigris/Support/StringUtils.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// Six poolings with windows of 3x3 over 64 rows of 64 bytes.
Graph poolings() {
  std::string tensors = "  - {name: t0, type: int8, shape: [1, 64, 16, 4], quant: {scale: 1.0}}\n";
  std::string ops;
  for (int i = 1; i <= 6; ++i) {
    tensors +=
        strCat("  - {name: t", i, ", type: int8, shape: [1, 64, 16, 4], quant: {scale: 1.0}}\n");
    ops += strCat("  - {op: MaxPool, name: pool", i, ", in: [t", i - 1, "], out: [t", i,
                  "], attrs: {kernel_shape: [3, 3], pads: [1, 1, 1, 1]}}\n");
  }
  return parseGraph(strCat("form: normalized\nlayout: channels-last\ninputs: [{name: t0}]\n",
                           "outputs: [{name: t6}]\ntensors:\n", tensors, "ops:\n", ops));
}

PlanOptions withSlow(uint64_t fast, uint64_t slowdown) {
  PlanOptions options;
  options.budget = {fast, uint64_t{1} << 20, {}};
  options.slowdown = slowdown;
  return options;
}

} // namespace

TEST_CASE("slowdown: less fast memory, the same traffic, and no more time than the limit") {
  Graph graph = poolings();
  const Target target = *findTarget("generic");
  const Expected<Plan> one = planGraph(graph, withSlow(1 << 16, 0));
  REQUIRE(one);
  REQUIRE(one->stages.size() == 1);
  CHECK(planTime(graph, *one, target, target.costs) ==
        oneStageTime(graph, one->stats.trafficBytes(), target.costs));
  uint64_t last = one->stats.fastPeakBytes;
  for (const uint64_t slowdown : {5, 20, 100, 1000}) {
    CAPTURE(slowdown);
    Expected<Plan> plan = planGraph(graph, withSlow(1 << 16, slowdown));
    REQUIRE(plan);
    CHECK(plan->budget.fast == 1 << 16);
    CHECK(plan->stats.fastPeakBytes <= last);
    CHECK(plan->stats.trafficBytes() == one->stats.trafficBytes());
    CHECK(planTime(graph, *plan, target, target.costs) * 100 <=
          planTime(graph, *one, target, target.costs) * (100 + slowdown));
    last = plan->stats.fastPeakBytes;
    Graph copy = graph;
    applyPlan(copy, std::move(*plan));
    CHECK(bool(checkPlan(copy)));
  }
  CHECK(last < one->stats.fastPeakBytes / 2);
}

TEST_CASE("slowdown: larger budgets cost no more traffic or calls") {
  const Graph graph = poolings();
  uint64_t calls = UINT64_MAX;
  uint64_t traffic = UINT64_MAX;
  for (uint64_t fast = 1024; fast <= 16384; fast += 512) {
    CAPTURE(fast);
    const Expected<Plan> plan = planGraph(graph, withSlow(fast, 50));
    REQUIRE(plan);
    CHECK(plan->stats.trafficBytes() <= traffic);
    CHECK((plan->stats.trafficBytes() < traffic || plan->stats.kernelCalls <= calls));
    traffic = plan->stats.trafficBytes();
    calls = plan->stats.kernelCalls;
  }
}

TEST_CASE("slowdown: not for other objectives, limits of recomputation, or without slow memory") {
  PlanOptions options = withSlow(1 << 16, 5);
  CHECK(mayLeaveFree(options));
  options.recompute = 5;
  CHECK_FALSE(mayLeaveFree(options));
  options = withSlow(1 << 16, 5);
  options.optimize = Objective::Latency;
  CHECK_FALSE(mayLeaveFree(options));
  options = withSlow(1 << 16, 5);
  options.budget.slow.reset();
  CHECK_FALSE(mayLeaveFree(options));
  CHECK_FALSE(mayLeaveFree(withSlow(1 << 16, 0)));
}
