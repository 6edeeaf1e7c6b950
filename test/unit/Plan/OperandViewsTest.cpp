// Products of a tensor with itself are cut like other products.
#include "tigris/Plan/OperandViews.h"
#include "PassTesting.h"
#include "tigris/Check/PlanChecker.h"
#include "tigris/Plan/Planner.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// x times itself: 4 KiB each.
const char* const Square = R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: float32, shape: [32, 32]}
  - {name: y, type: float32, shape: [32, 32]}
ops:
  - {op: MatMul, name: square, in: [x, x], out: [y]}
)";

} // namespace

TEST_CASE("the second operand of a product of a tensor with itself becomes a view") {
  Graph graph = parseGraph(Square);
  const Graph before = graph;
  PlanOptions options;
  options.budget = {1 << 20, 1 << 20, {}};
  const Expected<BudgetNeeds> whole = budgetNeeds(graph, options);
  REQUIRE(bool(whole));
  CHECK(whole->smallest == 8192);
  CHECK(insertOperandViews(graph) == 1);
  CHECK(insertOperandViews(graph) == 0);
  checkSameValues(before, graph);
  const Expected<BudgetNeeds> cut = budgetNeeds(graph, options);
  REQUIRE(bool(cut));
  CHECK(cut->oneStage == 8192);
  CHECK(cut->smallest == 128 + 128 + 4 + 96); // a row, a column, an element, bookkeeping
  for (const uint64_t fast : {cut->smallest, uint64_t{2048}, uint64_t{8192}}) {
    Graph planned = graph;
    options.budget.fast = fast;
    Expected<Plan> plan = planGraph(planned, options);
    REQUIRE(bool(plan));
    applyPlan(planned, std::move(*plan));
    const Status status = checkPlan(planned);
    CHECK_MESSAGE(bool(status), (status ? "" : status.error().message()));
    const PlanStats& stats = planned.plan()->stats;
    CHECK((fast < 8192) == (stats.kernelCalls > 1));
    CHECK((fast < 8192) == (planned.plan()->stages.size() > 1));
  }
}
