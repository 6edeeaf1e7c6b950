// Overflow: ops that do not fit in any cut use tensors in slow memory.
#include "tigris/Analysis/Overflow.h"
#include "PassTesting.h"
#include "tigris/Analysis/OperandReads.h"
#include "tigris/Check/PlanChecker.h"
#include "tigris/Plan/Bounds/RowBound.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/Search/Schedule.h"
#include "tigris/Plan/Stage/StageDrafter.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// A dense layer that needs all 32 KiB of its operand for each element, between two functions that
/// are cut.
const char* const WideLayer = R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: float32, shape: [1, 8192]}
  - {name: a, type: float32, shape: [1, 8192]}
  - {name: w, type: float32, shape: [16, 8192], const: true}
  - {name: b, type: float32, shape: [1, 16]}
  - {name: y, type: float32, shape: [1, 16]}
ops:
  - {op: Tanh, name: before, in: [x], out: [a]}
  - {op: Gemm, name: wide, in: [a, w], out: [b], attrs: {transB: 1}}
  - {op: Tanh, name: after, in: [b], out: [y]}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
)";

PlanOptions options(uint64_t fast, Strategy planner) {
  PlanOptions result;
  result.budget = {fast, 4 << 20, {}};
  result.planner = planner;
  return result;
}

std::vector<std::string> namesOf(const Graph& graph, const std::vector<TensorId>& tensors) {
  std::vector<std::string> names;
  for (const TensorId id : tensors)
    names.push_back(graph.tensor(id).name);
  return names;
}

} // namespace

TEST_CASE("a dense layer that does not fit reads its operand in slow memory") {
  for (const Strategy planner : {Strategy::Optimal, Strategy::Greedy}) {
    Graph graph = parseGraph(WideLayer);
    const Expected<BudgetNeeds> needs = budgetNeeds(graph, options(10240, planner));
    REQUIRE(bool(needs));
    CHECK(needs->smallest > 32768);
    Expected<Plan> plan = planGraph(graph, options(10240, planner));
    REQUIRE_MESSAGE(bool(plan), (plan ? "" : plan.error().message()));
    applyPlan(graph, std::move(*plan));
    const Status status = checkPlan(graph);
    CHECK_MESSAGE(bool(status), (status ? "" : status.error().message()));
    const Plan& made = *graph.plan();
    CHECK(made.stats.fastPeakBytes <= 10240);
    CHECK(hasOverflow(graph, made));
    size_t overflowing = 0;
    for (const Stage& stage : made.stages)
      if (const auto overflow = overflowOf(graph, made, stage); !overflow.empty()) {
        ++overflowing;
        CHECK(graph.op(stage.ops[0]).name == "wide");
        // The optimal planner keeps the result in fast memory for the next op.
        CHECK(namesOf(graph, overflow) == (planner == Strategy::Optimal
                                               ? std::vector<std::string>{"a"}
                                               : std::vector<std::string>{"a", "b"}));
        CHECK(stage.stats.slowReadBytes == 32768);
        CHECK(stage.stats.kernelCalls == stage.ops.size());
      }
    CHECK(overflowing == 1);
    CHECK(made.bounds.fastPeakBytes <= made.stats.fastPeakBytes);
  }
}

TEST_CASE("no budget is too small with slow memory") {
  for (const Strategy planner : {Strategy::Optimal, Strategy::Greedy})
    for (const uint64_t fast : {1, 8, 63, 64, 200, 32768, 40000}) {
      Graph graph = parseGraph(WideLayer);
      Expected<Plan> plan = planGraph(graph, options(fast, planner));
      REQUIRE_MESSAGE(bool(plan), (plan ? "" : plan.error().message()));
      applyPlan(graph, std::move(*plan));
      CHECK(bool(checkPlan(graph)));
      CHECK(graph.plan()->stats.fastPeakBytes <= fast);
      CHECK(hasOverflow(graph, *graph.plan()) == (fast < 40000));
    }
}

TEST_CASE("tensors that are read most often are in fast memory") {
  Graph graph = parseGraph(R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
  - {name: z}
outputs:
  - {name: y}
tensors:
  - {name: x, type: float32, shape: [64, 8]}
  - {name: z, type: float32, shape: [8, 4]}
  - {name: y, type: float32, shape: [64, 4]}
ops:
  - {op: MatMul, name: product, in: [x, z], out: [y]}
)");
  const Op& product = graph.op(graph.order()[0]);
  CHECK(operandReads(graph, product, 0) == 4);
  CHECK(operandReads(graph, product, 1) == 64);
  const Schedule schedule(graph, graph.order(), IoMode::Slow, 8);
  const StageDrafter drafter(graph, schedule.order, schedule.aliases, IoMode::Slow, 8);
  const auto placed = [&](uint64_t budget) {
    const StageDraft stage = drafter.overflow(0, 1, budget);
    std::vector<std::string> names;
    if (const auto* whole = std::get_if<WholeDraft>(&stage.execution))
      for (const LiveBuffer& buffer : whole->buffers)
        names.push_back(graph.tensor(buffer.tensors[0]).name);
    CHECK(stage.height <= budget);
    CHECK(stage.stats.slowReadBytes == 2048 + 128);
    CHECK(stage.stats.slowWriteBytes == 1024);
    return names;
  };
  CHECK(placed(127) == std::vector<std::string>());
  CHECK(placed(128) == std::vector<std::string>{"z"});
  CHECK(placed(2048) == std::vector<std::string>{"z"});
  CHECK(placed(2176) == std::vector<std::string>{"z", "x"});
  CHECK(placed(100000) == std::vector<std::string>{"z", "x"}); // writing y elsewhere is no gain
}

TEST_CASE("an op that works in one pass keeps its result, which tiles would store") {
  Graph graph = parseGraph(R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: float32, shape: [1, 17, 3, 5]}
  - {name: mean, type: float32, shape: [1, 1, 1, 5]}
  - {name: y, type: float32, shape: [1, 1, 1, 5]}
ops:
  - {op: ReduceMean, name: reduce, in: [x], out: [mean], attrs: {axes: [1, 2], keepdims: 1}}
  - {op: Tanh, name: after, in: [mean], out: [y]}
)");
  Expected<Plan> made = planGraph(graph, options(44, Strategy::Optimal));
  REQUIRE_MESSAGE(bool(made), (made ? "" : made.error().message()));
  applyPlan(graph, std::move(*made));
  CHECK(bool(checkPlan(graph)));
  const Plan& plan = *graph.plan();
  CHECK(plan.stats.trafficBytes() == 1020 + 20);
  CHECK(namesOf(graph, usedInSlow(plan, plan.stages[0])) == std::vector<std::string>{"x"});
  CHECK_FALSE(hasOverflow(graph, plan));
  // Such a plan does not copy every row, which the bound for plans by rows requires.
  CHECK_FALSE(isRowPlan(plan));
  CHECK(plan.bounds.fastPeakBytes <= plan.stats.fastPeakBytes);
}

TEST_CASE("a run of ops keeps what it uses most") {
  Graph graph = parseGraph(R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: float32, shape: [256]}
  - {name: a, type: float32, shape: [256]}
  - {name: b, type: float32, shape: [16, 16]}
  - {name: y, type: float32, shape: [16, 16]}
ops:
  - {op: Tanh, name: one, in: [x], out: [a]}
  - {op: Reshape, name: view, in: [a], out: [b], attrs: {shape: [16, 16]}}
  - {op: Tanh, name: two, in: [b], out: [y]}
)");
  for (const uint64_t budget : {uint64_t{100}, uint64_t{1024}}) {
    const Schedule schedule(graph, graph.order(), IoMode::Slow, 8);
    const StageDrafter drafter(graph, schedule.order, schedule.aliases, IoMode::Slow, 8);
    const StageDraft stage = drafter.overflow(0, 3, budget);
    const bool keeps = budget == 1024; // the tensor between the functions, not their interface
    CHECK(stage.stats.kernelCalls == (keeps ? 2 : 3));
    CHECK(stage.stats.trafficBytes() == (keeps ? 2048 : 6144));
    CHECK(stage.spills.size() == (keeps ? 1 : 3));
    CHECK(stage.height == (keeps ? 1024 : 0));
  }
}
