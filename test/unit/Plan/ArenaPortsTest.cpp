// Plans of several stages with model inputs and outputs in the fast arena: they are residents.
#include "PassTesting.h"
#include "RandomGraphs.h"
#include "tigris/Check/PlanChecker.h"
#include "tigris/Plan/Bounds/Bounds.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/PortCopies.h"
#include "tigris/Plan/Search/Schedule.h"
#include "tigris/Plan/Stage/OrderView.h"
#include "tigris/Support/StringUtils.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// Poolings three rows high over 32 rows of 32 bytes, 1024 bytes per map. The input `x` has two
/// axes and becomes a map by a Reshape, the last map becomes the output `y` by another one. Nothing
/// reads the input `spare` of 16 bytes.
const char* const Framed = R"(form: normalized
layout: channels-last
inputs: [{name: x}, {name: spare}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [1, 1024], quant: {scale: 1.0}}
  - {name: spare, type: int8, shape: [16], quant: {scale: 1.0}}
  - {name: map, type: int8, shape: [1, 32, 8, 4], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [1, 32, 8, 4], quant: {scale: 1.0}}
  - {name: b, type: int8, shape: [1, 32, 8, 4], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 1024], quant: {scale: 1.0}}
ops:
  - {op: Reshape, name: in, in: [x], out: [map], attrs: {shape: [1, 32, 8, 4]}}
  - {op: MaxPool, name: first, in: [map], out: [a], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
  - {op: MaxPool, name: second, in: [a], out: [b], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
  - {op: Reshape, name: out, in: [b], out: [y], attrs: {shape: [1, 1024]}}
)";

PlanOptions inArena(uint64_t fast) {
  PlanOptions options;
  options.budget.fast = fast;
  options.io = IoMode::Arena;
  return options;
}

/// The graph with its plan in the smallest budget, which the checker accepts.
Graph plannedInLeast(Graph graph, PlanOptions options) {
  const Expected<BudgetNeeds> needs = budgetNeeds(graph, options);
  REQUIRE(needs);
  options.budget.fast = std::max<uint64_t>(needs->smallest, 1);
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE_MESSAGE(bool(plan), (plan ? "" : plan.error().message()));
  addCertificate(graph, ThoroughCertificateFlows, *plan);
  applyPlan(graph, std::move(*plan));
  const Status status = checkPlan(graph);
  REQUIRE_MESSAGE(bool(status), (status ? "" : status.error().message()));
  return graph;
}

/// The place of a tensor that a stage keeps whole.
Placement* placeOf(const Graph& graph, Stage& stage, const char* name) {
  const TensorId id = *graph.findTensor(name);
  std::vector<Placement>* places = nullptr;
  if (auto* whole = std::get_if<WholeStage>(&stage.execution))
    places = &whole->placements;
  if (auto* streamed = std::get_if<StreamedStage>(&stage.execution))
    places = &streamed->residents;
  for (Placement& place : *places)
    if (place.tensor == id)
      return &place;
  return nullptr;
}

} // namespace

TEST_CASE("ports in the arena: inputs cross cuts to their last read, outputs to the last one") {
  const Graph graph = parseGraph(Framed);
  const auto crossing = [&](IoMode io) {
    const Schedule schedule(graph, graph.order(), io, 8);
    const OrderView view(graph, schedule.order, schedule.aliases, io, 8);
    std::vector<std::string> cuts;
    for (size_t step = 0; step <= schedule.order.size(); ++step) {
      std::vector<std::string> names;
      for (const TensorId id : view.crossing(step))
        names.push_back(graph.tensor(id).name);
      cuts.push_back(join(names, " "));
    }
    return cuts;
  };
  // The views `map` and `y` are the same residents as `x` and `b`.
  CHECK(crossing(IoMode::Arena) == std::vector<std::string>{"x spare", "x", "a", "b", "b"});
  CHECK(crossing(IoMode::Caller) == std::vector<std::string>{"", "", "a", "", ""});
  CHECK(crossing(IoMode::Slow) == std::vector<std::string>{"", "", "a", "b", ""});
}

TEST_CASE("a view stays in fast memory as its source") {
  const Graph graph = parseGraph(R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [64], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [64], quant: {scale: 1.0}}
  - {name: v, type: int8, shape: [8, 8], quant: {scale: 1.0}}
  - {name: b, type: int8, shape: [8, 8], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [8, 8], quant: {scale: 1.0}}
ops:
  - {op: Relu, name: one, in: [x], out: [a]}
  - {op: Reshape, name: view, in: [a], out: [v], attrs: {shape: [8, 8]}}
  - {op: Relu, name: two, in: [v], out: [b]}
  - {op: Add, name: three, in: [v, b], out: [y]}
)");
  const Schedule schedule(graph, graph.order(), IoMode::Slow, 8);
  const OrderView view(graph, schedule.order, schedule.aliases, IoMode::Slow, 8);
  const TensorId a = *graph.findTensor("a");
  const TensorId v = *graph.findTensor("v");
  CHECK(view.resident(v) == a);
  CHECK(view.views(a) == std::vector<TensorId>{a, v});
  CHECK(view.crossing(2) == std::vector<TensorId>{a});
  CHECK(view.crossing(3) == std::vector<TensorId>{a, *graph.findTensor("b")});
  CHECK_FALSE(view.resident(*graph.findTensor("x")));
}

TEST_CASE("ports in the arena: the output is made over the input as it is read") {
  const Graph graph = plannedInLeast(parseGraph(Framed), inArena(4096));
  const Plan& plan = *graph.plan();
  CHECK(plan.stats.trafficBytes() == 0);
  CHECK(plan.stats.recomputeMacs == 0);
  CHECK(plan.stages.size() > 1);
  // One map, some rows and the input that nothing reads. One stage takes two maps.
  CHECK(plan.stats.fastPeakBytes < 1024 + 400);
  CHECK(plan.bounds.fastPeakBytes > 1024);
  CHECK(plan.bounds.fastPeakBytes <= plan.stats.fastPeakBytes);
  CHECK(plan.bounds.planClass == "whole rows made once, no spills, any order");
}

TEST_CASE("ports in the arena: every objective, with and without recomputation") {
  for (const Objective optimize : {Objective::Traffic, Objective::Latency, Objective::Memory})
    for (const std::optional<uint64_t> recompute : {std::optional<uint64_t>(), {0}, {20}}) {
      PlanOptions options = inArena(4096);
      options.optimize = optimize;
      options.recompute = recompute;
      const Graph graph = plannedInLeast(parseGraph(Framed), options);
      CHECK(graph.plan()->stats.trafficBytes() == 0);
      CHECK(graph.plan()->stats.fastPeakBytes < 1024 + 400);
      // Slow memory that is granted stays empty.
      options.budget.slow = 4096;
      if (options.recompute && optimize != Objective::Traffic)
        continue;
      CHECK(plannedInLeast(parseGraph(Framed), options).plan()->stats.slowPeakBytes == 0);
    }
}

TEST_CASE("ports in the arena: a plan that damages a port is refused") {
  const Graph good = plannedInLeast(parseGraph(Framed), inArena(4096));
  const auto refused = [&](size_t stage, const char* tensor, uint64_t offset) {
    Graph graph = good;
    Plan plan = *graph.plan();
    Placement* place = placeOf(graph, plan.stages[stage], tensor);
    REQUIRE(place != nullptr);
    place->offset = offset;
    graph.setPlan(std::move(plan));
    const Status status = checkPlan(graph);
    return status ? std::string("accepted") : status.error().message();
  };
  const size_t last = good.plan()->stages.size() - 1;
  Plan plan = *good.plan();
  const uint64_t x = placeOf(good, plan.stages[0], "x")->offset;
  const uint64_t y = placeOf(good, plan.stages[last], "y")->offset;
  CHECK(refused(0, "x", x + 8) != "accepted");
  CHECK(refused(0, "spare", x) != "accepted");
  CHECK(refused(last, "y", y + 8) != "accepted");
  // An input that nothing reads needs a place that the caller can fill.
  for (Stage& stage : plan.stages)
    if (auto* whole = std::get_if<WholeStage>(&stage.execution))
      whole->placements.erase(std::remove_if(whole->placements.begin(), whole->placements.end(),
                                             [&](const Placement& place) {
                                               return place.tensor == *good.findTensor("spare");
                                             }),
                              whole->placements.end());
  Graph without = good;
  without.setPlan(std::move(plan));
  const Status status = checkPlan(without);
  REQUIRE_FALSE(bool(status));
  CHECK(status.error().message() == "plan: model input 'spare' has no place");
}

TEST_CASE("ports in the arena: random graphs in the least memory") {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Graph graph = test::randomGraph(seed, 4 + seed % 20);
    insertPortCopies(graph);
    const Graph planned = plannedInLeast(std::move(graph), inArena(1 << 20));
    const Plan& plan = *planned.plan();
    CHECK(plan.stats.trafficBytes() == 0);
    CHECK(plan.bounds.fastPeakBytes <= plan.stats.fastPeakBytes);
  }
}
