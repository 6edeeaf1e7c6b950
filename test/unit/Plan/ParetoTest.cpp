// The front contains the non-dominated plans and nothing else.
#include "tigris/Plan/Sweep/Pareto.h"
#include "PassTesting.h"
#include "tigris/Plan/Sweep/Sizing.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

const char* const Poolings = R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: int8, shape: [1, 64, 8, 4], quant: {scale: 1.0}}
  - {name: m, type: int8, shape: [1, 64, 8, 4], quant: {scale: 1.0}}
  - {name: n, type: int8, shape: [1, 64, 8, 4], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 64, 8, 4], quant: {scale: 1.0}}
ops:
  - {op: MaxPool, name: a, in: [x], out: [m], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
  - {op: MaxPool, name: b, in: [m], out: [n], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
  - {op: MaxPool, name: c, in: [n], out: [y], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
)";

} // namespace

TEST_CASE("pareto: rising memory buys traffic or calls, up to one stage") {
  const Graph graph = parseGraph(Poolings);
  PlanOptions options;
  options.budget = {1 << 20, 1 << 20, {}};
  options.target = "cortex-m4";
  const auto front = paretoFront(graph, options);
  REQUIRE(front);
  REQUIRE(front->size() > 3);
  for (size_t i = 0; i < front->size(); ++i)
    for (size_t k = i + 1; k < front->size(); ++k) {
      const PlanStats& a = (*front)[i].stats;
      const PlanStats& b = (*front)[k].stats;
      CHECK(a.fastPeakBytes <= b.fastPeakBytes);
      const bool isWorth = b.trafficBytes() < a.trafficBytes() || b.kernelCalls < a.kernelCalls ||
                           b.recomputeMacs < a.recomputeMacs || b.slowPeakBytes < a.slowPeakBytes;
      CHECK(isWorth);
    }
  CHECK(front->back().counts.stages == 1);
  CHECK(front->back().stats.kernelCalls == 3);
  CHECK(front->front().stats.fastPeakBytes < 200);

  options.budget.fast = 1000;
  const auto below = paretoFront(graph, options);
  REQUIRE(below);
  CHECK(below->back().stats.fastPeakBytes <= 1000);
  options.budget.fast = 10;
  const auto overflowing = paretoFront(graph, options);
  REQUIRE(overflowing);
  CHECK(overflowing->back().stats.fastPeakBytes <= 10);
  options.budget.slow = 10;
  const auto none = paretoFront(graph, options);
  REQUIRE_FALSE(none);
  CHECK(none.error().id() == DiagId::OverBudget);
}

TEST_CASE("pareto: the figures are those of finished plans") {
  const Graph graph = parseGraph(Poolings);
  PlanOptions options;
  options.budget = {1 << 20, 1 << 20, {}};
  const auto plain = paretoFront(graph, options);
  REQUIRE(plain);
  const auto moved = paretoFront(graph, options, [](Plan plan) -> Expected<Plan> {
    plan.stats.slowPeakBytes += 64;
    return plan;
  });
  REQUIRE(moved);
  REQUIRE(moved->size() == plain->size());
  for (size_t i = 0; i < plain->size(); ++i)
    CHECK((*moved)[i].stats.slowPeakBytes == (*plain)[i].stats.slowPeakBytes + 64);

  // A plan that does not fit any more is no point of the front; any other failure is the answer.
  const auto cut = paretoFront(graph, options, [](Plan plan) -> Expected<Plan> {
    if (plan.stages.size() == 1)
      return makeError(DiagId::OverBudget, "too large now");
    return plan;
  });
  REQUIRE(cut);
  for (const ParetoPoint& point : *cut)
    CHECK(point.counts.stages > 1);
  const auto broken = paretoFront(graph, options, [](const Plan&) -> Expected<Plan> {
    return makeError(DiagId::BadPlan, "broken");
  });
  REQUIRE(!broken);
  CHECK(broken.error().id() == DiagId::BadPlan);
  const auto table = sizingTable(graph, options, [](const Plan&) -> Expected<Plan> {
    return makeError(DiagId::OverBudget, "too large now");
  });
  REQUIRE(table);
  for (const SizingRow& row : *table)
    CHECK(!row.stats);
}
