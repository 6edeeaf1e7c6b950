// Slow memory as needed: none if a plan exists without it, otherwise as much as the plan needs.
#include "PassTesting.h"
#include "tigris/Check/PlanChecker.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/Sweep/Pareto.h"
#include "tigris/Plan/Sweep/Sizing.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// `a` is needed at the end, while dense operators in between need memory of their own.
const char* const Bypass = R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [1, 400], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [1, 400], quant: {scale: 1.0}}
  - {name: b, type: int8, shape: [1, 400], quant: {scale: 1.0}}
  - {name: c, type: int8, shape: [1, 400], quant: {scale: 1.0}}
  - {name: d, type: int8, shape: [1, 400], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 400], quant: {scale: 1.0}}
ops:
  - {op: Softmax, name: first, in: [x], out: [a], attrs: {axis: 1}}
  - {op: Softmax, name: second, in: [a], out: [b], attrs: {axis: 1}}
  - {op: Softmax, name: third, in: [b], out: [c], attrs: {axis: 1}}
  - {op: Softmax, name: fourth, in: [c], out: [d], attrs: {axis: 1}}
  - {op: Add, name: join, in: [a, d], out: [y]}
)";

PlanOptions asNeeded(uint64_t fast) {
  PlanOptions options;
  options.budget.fast = fast;
  options.slowAsNeeded = true;
  return options;
}

struct SlowCase {
  Graph graph = parseGraph(Bypass);
  /// The smallest fast budgets without slow memory, and with it so that no operator overflows.
  uint64_t without = budgetNeeds(graph, withoutSlow(asNeeded(1 << 20)))->smallest;
  uint64_t with = budgetNeeds(graph, withSlowAsNeeded(asNeeded(1 << 20)))->smallest;
};

} // namespace

TEST_CASE("slow memory is used only if no plan exists without it") {
  SlowCase model;
  REQUIRE(model.with < model.without);
  const Expected<Plan> roomy = planGraph(model.graph, asNeeded(model.without));
  REQUIRE(roomy);
  CHECK(!roomy->budget.slow);
  CHECK(roomy->stats.slowPeakBytes == 0);

  const Expected<Plan> tight = planGraph(model.graph, asNeeded(model.without - 1));
  REQUIRE(tight);
  REQUIRE(tight->budget.slow);
  CHECK(*tight->budget.slow == tight->stats.slowPeakBytes);
  CHECK(tight->stats.slowPeakBytes > 0);
  CHECK(tight->io == IoMode::Caller);
  applyPlan(model.graph, *tight);
  CHECK(bool(checkPlan(model.graph)));
}

TEST_CASE("slow memory is not added where the user excludes it") {
  const SlowCase model;
  const auto fails = [&](const PlanOptions& options) {
    const Expected<Plan> plan = planGraph(model.graph, options);
    return !plan && plan.error().id() == DiagId::OverBudget;
  };
  PlanOptions options = asNeeded(model.with);
  CHECK_FALSE(fails(options));
  options.slowAsNeeded = false;
  CHECK(fails(options));
  options = asNeeded(model.with);
  options.io = IoMode::Arena;
  CHECK(fails(options));
  options = asNeeded(model.with);
  options.budget.slow = 1;
  CHECK(fails(options));
}

TEST_CASE("every objective and strategy falls back to slow memory") {
  const SlowCase model;
  for (const Strategy planner : {Strategy::Greedy, Strategy::Optimal})
    for (const Objective optimize : {Objective::Traffic, Objective::Latency, Objective::Memory}) {
      PlanOptions options = asNeeded(model.without - 1);
      options.planner = planner;
      options.optimize = optimize;
      const Expected<Plan> plan = planGraph(model.graph, options);
      REQUIRE(plan);
      CHECK(plan->budget.slow == plan->stats.slowPeakBytes);
      CHECK(plan->stats.fastPeakBytes < model.without);
    }
}

TEST_CASE("inputs and outputs in slow memory need it in any budget") {
  const SlowCase model;
  PlanOptions options = asNeeded(1 << 20);
  options.io = IoMode::Slow;
  const Expected<Plan> plan = planGraph(model.graph, options);
  REQUIRE(plan);
  CHECK(plan->io == IoMode::Slow);
  CHECK(plan->budget.slow == 800);
  REQUIRE(budgetNeeds(model.graph, options));
  CHECK(budgetNeeds(model.graph, options)->smallest <= model.without);
}

TEST_CASE("other budgets use slow memory where they need it") {
  const SlowCase model;
  const auto rows = sizingTable(model.graph, asNeeded(model.without));
  REQUIRE(rows);
  size_t smallest = 0;
  for (const SizingRow& row : *rows) {
    if (row.stats)
      CHECK((row.stats->slowPeakBytes == 0) == (row.fastBudget >= model.without));
    if (row.fastBudget == model.without)
      CHECK(row.remark.starts_with("requested, smallest without slow memory"));
    smallest += row.remark == "smallest" ? 1 : 0;
  }
  CHECK(smallest == 1);
}

TEST_CASE("the Pareto front uses slow memory only if nothing in the budget does without") {
  const SlowCase model;
  const auto without = paretoFront(model.graph, asNeeded(model.without));
  REQUIRE(without);
  for (const ParetoPoint& point : *without)
    CHECK(point.stats.slowPeakBytes == 0);
  const auto with = paretoFront(model.graph, asNeeded(model.without - 1));
  REQUIRE(with);
  for (const ParetoPoint& point : *with)
    CHECK(point.stats.slowPeakBytes > 0);
}
