// The search over cuts: what streams, what stays in fast memory, and plans without slow memory.
#include "PassTesting.h"
#include "RandomGraphs.h"
#include "tigris/Plan/PlanChecker.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/PortCopies.h"
#include "tigris/Plan/ResidentLayout.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// 256 -> 256 -> 64 -> 64 -> 64 bytes.
const char* const Narrowing = R"(stage: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: int8, shape: [1, 16, 4, 4], quant: {scale: 1.0}}
  - {name: wide, type: int8, shape: [1, 16, 4, 4], quant: {scale: 1.0}}
  - {name: half, type: int8, shape: [1, 8, 2, 4], quant: {scale: 1.0}}
  - {name: next, type: int8, shape: [1, 8, 2, 4], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 8, 2, 4], quant: {scale: 1.0}}
ops:
  - {op: MaxPool, name: first, in: [x], out: [wide], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
  - {op: MaxPool, name: shrink, in: [wide], out: [half], attrs: {kernel_shape: [2, 2], strides: [2, 2], pads: [0, 0, 0, 0]}}
  - {op: MaxPool, name: third, in: [half], out: [next], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
  - {op: Add, name: join, in: [half, next], out: [y]}
)";

Plan planned(const Graph& graph, const std::string& planner, uint64_t fast,
             std::optional<uint64_t> slow) {
  PlanOptions options;
  options.budget = {fast, slow, {}};
  options.planner = planner;
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE_MESSAGE(bool(plan), (plan ? "" : plan.error().message()));
  Graph checked = graph;
  applyPlan(checked, *plan);
  const Status status = checkPlan(checked);
  REQUIRE_MESSAGE(bool(status), (status ? "" : status.error().message()));
  return *plan;
}

uint64_t traffic(const Plan& plan) { return plan.stats.slowReadBytes + plan.stats.slowWriteBytes; }

StageDraft stageWith(std::vector<TensorId> residents, uint64_t height) {
  StageDraft stage;
  stage.residents = std::move(residents);
  stage.height = height;
  return stage;
}

} // namespace

TEST_CASE("search: the wide part streams, and its result stays for what follows") {
  const Graph graph = parseGraph(Narrowing);
  const Plan plan = planned(graph, "optimal", 260, 4096);
  CHECK(traffic(plan) == plan.stats.compulsoryBytes);
  CHECK(plan.stats.recomputeMacs == 0);
  REQUIRE(plan.stages.size() > 1);
  CHECK(plan.stages[0].mode == StageMode::Streamed);
  CHECK(plan.slow.size() == 2); // the model's input and output, nothing else
  CHECK(traffic(planned(graph, "greedy", 260, 4096)) > plan.stats.compulsoryBytes);
}

TEST_CASE("search: what stays needs no slow memory") {
  const Graph graph = parseGraph(Narrowing);
  const Plan plan = planned(graph, "optimal", 260, {});
  CHECK(plan.io == IoMode::Caller);
  CHECK(plan.slow.empty());
  CHECK(traffic(plan) == 0);
}

TEST_CASE("search: the smallest budget without slow memory works, and less is refused with it") {
  const Graph graph = parseGraph(Narrowing);
  PlanOptions options;
  options.budget.fast = 1;
  const Expected<BudgetNeeds> needs = budgetNeeds(graph, options);
  REQUIRE(bool(needs));
  CHECK(needs->smallest < 260);
  CHECK(needs->oneStage == 320); // wide and half; the interface is the caller's
  planned(graph, "optimal", needs->smallest, {});
  options.budget.fast = needs->smallest - 8; // the alignment
  const Expected<Plan> plan = planGraph(graph, options);
  REQUIRE_FALSE(bool(plan));
  CHECK(plan.error().id() == DiagId::OverBudget);
}

TEST_CASE("search: never costs more than greedy cuts") {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Graph graph = test::randomGraph(seed, 4 + seed % 24);
    insertPortCopies(graph);
    PlanOptions options;
    options.budget = {1 << 20, 1 << 20, {}};
    const Expected<BudgetNeeds> needs = budgetNeeds(graph, options);
    REQUIRE(bool(needs));
    const uint64_t budget = (needs->smallest + needs->oneStage) / 2;
    const Plan greedy = planned(graph, "greedy", budget, 1 << 20);
    const Plan searched = planned(graph, "optimal", budget, 1 << 20);
    CHECK(traffic(searched) + searched.stats.recomputeMacs / MacsPerSlowByte <=
          traffic(greedy) + greedy.stats.recomputeMacs / MacsPerSlowByte);
  }
}

TEST_CASE("residents: both ends of the arena, with the stages' own memory between them") {
  const Graph graph = parseGraph(Narrowing);
  const TensorId wide = *graph.findTensor("wide");
  const TensorId half = *graph.findTensor("half");
  const TensorId next = *graph.findTensor("next");
  // 256, then 256 + 64, then 64 + 64 bytes stay.
  const std::vector<StageDraft> stages = {stageWith({wide}, 100), stageWith({wide, half}, 50),
                                          stageWith({half, next}, 240)};
  const auto layout = layOutResidents(graph, stages, 370, 2);
  REQUIRE(layout);
  CHECK(layout->offsets.at(wide) == 0);
  CHECK(layout->offsets.at(half) == 370 - 64);
  CHECK(layout->bases[1] == 256);
  CHECK(layout->offsets.at(next) == 0); // where wide was
  CHECK(layout->bases[2] == 64);
  CHECK_FALSE(layOutResidents(graph, stages, 366, 2));
}
