// Limits of recomputation: traffic falls as they rise, and infeasible ones are rejected.
#include "tigris/Plan/Sweep/LeastTraffic.h"
#include "PassTesting.h"
#include "tigris/Check/PlanChecker.h"
#include "tigris/Support/StringUtils.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// Four 3x3 convolutions over 40 rows of 40 x 4 bytes.
Graph convolutions() {
  std::string tensors = "  - {name: t0, type: float32, shape: [1, 40, 40, 1]}\n";
  std::string ops;
  std::string blobs;
  for (int i = 1; i <= 4; ++i) {
    tensors += strCat("  - {name: w", i, ", type: float32, shape: [1, 1, 3, 3], const: true}\n",
                      "  - {name: t", i, ", type: float32, shape: [1, 40, 40, 1]}\n");
    ops += strCat("  - {op: Conv, name: conv", i, ", in: [t", i - 1, ", w", i, "], out: [t", i,
                  "], attrs: {pads: [1, 1, 1, 1]}}\n");
    blobs += strCat("  - {name: w", i, ", fill: {seed: ", i, ", amplitude: 1.0}}\n");
  }
  return parseGraph(strCat("form: normalized\nlayout: channels-last\ninputs: [{name: t0}]\n",
                           "outputs: [{name: t4}]\ntensors:\n", tensors, "ops:\n", ops, "blobs:\n",
                           blobs));
}

} // namespace

TEST_CASE("recompute: with a higher limit traffic falls") {
  const Graph graph = convolutions();
  PlanOptions options;
  options.budget = {1200, uint64_t{1} << 20, {}};
  uint64_t last = UINT64_MAX;
  std::vector<uint64_t> different;
  for (const uint64_t percent : {0, 10, 30, 100, 1000}) {
    CAPTURE(percent);
    options.recompute = percent;
    const Expected<Plan> plan = planGraph(graph, options);
    REQUIRE_MESSAGE(plan, (plan ? "" : plan.error().message()));
    CHECK(plan->stats.recomputeMacs * 100 <= percent * plan->stats.macs);
    CHECK(plan->stats.trafficBytes() <= last);
    if (plan->stats.trafficBytes() != last)
      different.push_back(plan->stats.trafficBytes());
    last = plan->stats.trafficBytes();
    Graph copy = graph;
    applyPlan(copy, *plan);
    CHECK(bool(checkPlan(copy)));
  }
  CHECK(different.size() >= 2);
}

TEST_CASE("recompute: a plan above the limit is refused") {
  const Graph graph = convolutions();
  PlanOptions options;
  options.budget = {400, {}, {}};
  const Expected<BudgetNeeds> needs = budgetNeeds(graph, options);
  REQUIRE(needs);
  options.budget.fast = needs->smallest;
  const Expected<Plan> any = planGraph(graph, options);
  REQUIRE(any);
  REQUIRE(any->stats.recomputeMacs * 100 > any->stats.macs);
  options.recompute = 1;
  const Expected<Plan> plan = planGraph(graph, options);
  REQUIRE_FALSE(plan);
  CHECK(plan.error().id() == DiagId::OverBudget);
  CHECK(plan.error().message().find("--recompute") != std::string::npos);
}
