// Plans: budgets, interface modes, order, figures; the checker accepts all of them.
#include "tigris/Plan/Planner.h"
#include "PassTesting.h"
#include "RandomGraphs.h"
#include "tigris/Check/PlanChecker.h"
#include "tigris/Plan/PortCopies.h"
#include "tigris/Target/KernelScratch.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// 100 -> 300 -> 200 -> 50 bytes.
const char* const PlannedChain = R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: int8, shape: [1, 100], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [1, 300], quant: {scale: 1.0}}
  - {name: b, type: int8, shape: [1, 200], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 50], quant: {scale: 1.0}}
ops:
  - {op: Concat, name: grow, in: [x, x, x], out: [a], attrs: {axis: 1}}
  - {op: Slice, name: cut, in: [a], out: [b], attrs: {starts: [0], ends: [200], axes: [1]}}
  - {op: Slice, name: end, in: [b], out: [y], attrs: {starts: [0], ends: [50], axes: [1]}}
)";

Plan planned(const Graph& graph, const PlanOptions& options) {
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE_MESSAGE(bool(plan), (plan ? "" : plan.error().message()));
  return *plan;
}

PlanOptions budget(uint64_t fast, std::optional<uint64_t> slow = {}) {
  PlanOptions options;
  options.budget.fast = fast;
  options.budget.slow = slow;
  return options;
}

void checkFails(const Graph& graph, const PlanOptions& options, DiagId id,
                const std::string& text) {
  const Expected<Plan> plan = planGraph(graph, options);
  REQUIRE_FALSE(bool(plan));
  CHECK(plan.error().id() == id);
  CHECK_MESSAGE(plan.error().message().find(text) != std::string::npos, plan.error().message());
}

} // namespace

TEST_CASE("one budget: the caller owns inputs and outputs") {
  Graph graph = parseGraph(PlannedChain);
  applyPlan(graph, planned(graph, budget(1000)));
  CHECK(bool(checkPlan(graph)));
  CHECK(graph.form() == GraphForm::Planned);
  const Plan& plan = *graph.plan();
  CHECK(plan.io == IoMode::Caller);
  CHECK(plan.stages[0].wholeTensors().size() == 2);
  CHECK(plan.stats.fastPeakBytes == 500); // 200 below, a multiple of 8, and 300 on top
  CHECK(plan.stats.unscheduledPeakBytes == 500);
  CHECK(graph.op(plan.stats.peakOp).name == "cut");
  CHECK(plan.stats.ioBytes == 150);
  CHECK(plan.stats.compulsoryBytes == 150);
  CHECK(plan.stats.trafficBytes() == 0);
  CHECK(plan.stats.kernelCalls == 3);
  CHECK(plan.bounds.fastPeakBytes == 500);
  CHECK(plan.bounds.planClass == "single-stage, any order");
  CHECK(plan.provenOptimal);
}

TEST_CASE("two budgets: inputs and outputs live in slow memory") {
  Graph graph = parseGraph(PlannedChain);
  applyPlan(graph, planned(graph, budget(1000, 200)));
  CHECK(bool(checkPlan(graph)));
  const Plan& plan = *graph.plan();
  CHECK(plan.io == IoMode::Slow);
  CHECK(plan.stages[0].loads.size() == 1);
  CHECK(plan.stages[0].spills.size() == 1);
  CHECK(plan.stats.slowReadBytes == 100);
  CHECK(plan.stats.slowWriteBytes == 50);
  CHECK(plan.stats.slowPeakBytes == 104 + 50);
  CHECK(plan.bounds.slowTrafficBytes == 150);
}

TEST_CASE("the arena can hold inputs and outputs") {
  PlanOptions options = budget(1000);
  options.io = IoMode::Arena;
  Graph graph = parseGraph(PlannedChain);
  applyPlan(graph, planned(graph, options));
  CHECK(bool(checkPlan(graph)));
  CHECK(graph.plan()->stages[0].wholeTensors().size() == 4);
}

TEST_CASE("what does not fit is refused with need, op and budget") {
  const Graph graph = parseGraph(PlannedChain);
  PlanOptions greedy = budget(499);
  greedy.planner = Strategy::Greedy;
  checkFails(graph, greedy, DiagId::OverBudget,
             "needs 500 bytes of fast memory at op 'cut' (Slice), budget is 499 bytes");
  CHECK(bool(planGraph(graph, budget(500))));
  checkFails(graph, budget(1000, 153), DiagId::OverBudget, "needs 154 bytes of slow memory");
  CHECK(bool(planGraph(graph, budget(1000, 154))));
}

TEST_CASE("options that make no sense are usage errors") {
  const Graph graph = parseGraph(PlannedChain);
  PlanOptions options = budget(1000);
  options.io = IoMode::Slow;
  checkFails(graph, options, DiagId::Usage, "slow memory, as there is none");
  options = budget(0);
  checkFails(graph, options, DiagId::Usage, "budget is 0");
  options = budget(1000);
  options.target = "cortex-n";
  checkFails(graph, options, DiagId::Usage, "did you mean 'cortex-m'?");
  options = budget(1000);
  options.reserve = 1000;
  checkFails(graph, options, DiagId::Usage, "uses up all 1000 bytes");
}

TEST_CASE("strategies and objectives have names") {
  for (const std::string& name : strategyNames())
    CHECK(strategyName(*parseStrategy(name)) == name);
  for (const std::string& name : objectiveNames())
    CHECK(objectiveName(*parseObjective(name)) == name);
  CHECK(parseStrategy("greedy") == Strategy::Greedy);
  CHECK(parseObjective("memory") == Objective::Memory);
  CHECK_FALSE(parseStrategy("magic"));
  CHECK_FALSE(parseObjective("beauty"));
}

TEST_CASE("the reserve comes off the budget, and is named where that is too little") {
  const Graph graph = parseGraph(PlannedChain);
  PlanOptions options = budget(4096);
  const Plan all = planned(graph, options);
  const uint64_t peak = all.stats.fastPeakBytes;
  options.reserve = 4096 - peak;
  const Plan rest = planned(graph, options);
  CHECK(rest.budget.fast == 4096);
  CHECK(rest.stats.fastPeakBytes == peak);
  options.optimize = Objective::Memory;
  CHECK(planned(graph, options).stats.fastPeakBytes <= peak);
  options.reserve = 4095;
  checkFails(graph, options, DiagId::OverBudget, "budget is 1 byte");
}

TEST_CASE("the target decides the alignment") {
  const Graph graph = parseGraph(PlannedChain);
  for (const Target& target : allTargets()) {
    PlanOptions options = budget(4096);
    options.target = target.name;
    const Plan plan = planned(graph, options);
    CHECK(plan.align == target.align);
    for (const Placement& placement : plan.stages[0].wholeTensors())
      CHECK(placement.offset % target.align == 0);
  }
}

TEST_CASE("the given order stays unless the depth-first one takes less memory") {
  // Interleaved, both branches hold a large tensor; one after the other, only one is live.
  const char* yaml = R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: int8, shape: [1, 8], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [1, 800], quant: {scale: 1.0}}
  - {name: b, type: int8, shape: [1, 800], quant: {scale: 1.0}}
  - {name: c, type: int8, shape: [1, 8], quant: {scale: 1.0}}
  - {name: d, type: int8, shape: [1, 8], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 8], quant: {scale: 1.0}}
ops:
  - {op: Pad, name: a, in: [x], out: [a], attrs: {pads: [0, 0, 0, 792]}}
  - {op: Pad, name: b, in: [x], out: [b], attrs: {pads: [0, 0, 0, 792]}}
  - {op: Slice, name: c, in: [a], out: [c], attrs: {starts: [0], ends: [8], axes: [1]}}
  - {op: Slice, name: d, in: [b], out: [d], attrs: {starts: [0], ends: [8], axes: [1]}}
  - {op: Add, name: y, in: [c, d], out: [y]}
)";
  Graph graph = parseGraph(yaml);
  const std::vector<OpId> given = graph.order();
  applyPlan(graph, planned(graph, budget(4096)));
  CHECK(bool(checkPlan(graph)));
  CHECK(graph.order() != given);
  CHECK(graph.plan()->stats.unscheduledPeakBytes == 1608);
  CHECK(graph.plan()->stats.fastPeakBytes == 816);
  CHECK(graph.plan()->bounds.planClass == "single-stage, any order");
  CHECK(graph.plan()->provenOptimal);

  Graph chain = parseGraph(PlannedChain);
  const std::vector<OpId> order = chain.order();
  applyPlan(chain, planned(chain, budget(1000)));
  CHECK(chain.order() == order);
}

TEST_CASE("outputs that are inputs, constants or the same tensor get copies") {
  Graph graph = parseGraph(R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: same}
  - {name: again, tensor: same}
  - {name: through, tensor: x}
  - {name: fixed, tensor: k}
tensors:
  - {name: x, type: float32, shape: [1, 4]}
  - {name: same, type: float32, shape: [1, 4]}
  - {name: k, type: float32, shape: [2], const: true}
ops:
  - {op: Relu, name: relu, in: [x], out: [same]}
blobs:
  - {name: k, values: [1.0, 2.0]}
)");
  CHECK_FALSE(hasOwnOutputTensors(graph));
  CHECK(insertPortCopies(graph) == 3);
  CHECK(insertPortCopies(graph) == 0);
  CHECK(hasOwnOutputTensors(graph));
  for (const IoMode io : {IoMode::Slow, IoMode::Caller, IoMode::Arena}) {
    PlanOptions options = budget(1000, 1000);
    options.io = io;
    Graph copy = graph;
    applyPlan(copy, planned(copy, options));
    const Status status = checkPlan(copy);
    CHECK_MESSAGE(bool(status), (status ? "" : status.error().message()));
    CHECK(copy.plan()->stats.kernelCalls == 4);
  }
}

TEST_CASE("random graphs: the checker accepts every plan, bounds hold, plans repeat") {
  for (uint32_t seed = 0; seed < 120; ++seed)
    for (const IoMode io : {IoMode::Slow, IoMode::Caller, IoMode::Arena}) {
      Graph graph = test::randomGraph(seed, 1 + seed % 40);
      insertPortCopies(graph);
      PlanOptions options = budget(1 << 20, 1 << 20);
      options.io = io;
      options.target = allTargets()[seed % allTargets().size()].name;
      const Plan plan = planned(graph, options);
      const Plan again = planned(graph, options);
      CHECK(plan.stats.fastPeakBytes >= plan.bounds.fastPeakBytes);
      CHECK(plan.stats.fastPeakBytes == again.stats.fastPeakBytes);
      CHECK(plan.stages[0].ops == again.stages[0].ops);
      applyPlan(graph, plan);
      const Status status = checkPlan(graph);
      CHECK_MESSAGE(bool(status), "seed ", seed, ": ", (status ? "" : status.error().message()));
    }
}

namespace {

/// A 3x3 convolution of 3 channels to 5, a depthwise one and an average pool.
const char* const PlannedWindows = R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: int8, shape: [1, 8, 8, 3], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [1, 8, 8, 5], quant: {scale: 1.0}}
  - {name: b, type: int8, shape: [1, 8, 8, 5], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 1, 1, 5], quant: {scale: 1.0}}
  - {name: w, type: int8, shape: [5, 3, 3, 3], const: true, quant: {scale: 1.0}}
  - {name: d, type: int8, shape: [5, 1, 5, 5], const: true, quant: {scale: 1.0}}
ops:
  - {op: Conv, name: conv, in: [x, w], out: [a], attrs: {pads: [1, 1, 1, 1]}}
  - {op: Conv, name: depthwise, in: [a, d], out: [b], attrs: {group: 5, pads: [2, 2, 2, 2]}}
  - {op: GlobalAveragePool, name: pool, in: [b], out: [y]}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
  - {name: d, fill: {seed: 2, amplitude: 1.0}}
)";

} // namespace

TEST_CASE("kernel scratch comes off the fast budget") {
  Graph graph = parseGraph(PlannedWindows);
  const auto scratch = [&](size_t op, KernelLibrary kernels) {
    return kernelScratch(graph, graph.op(graph.order()[op]), kernels);
  };
  // One requantization pair for all channels is repeated: 8 bytes each. Columns of 27 values,
  // rounded up.
  CHECK(scratch(0, KernelLibrary::Reference) == 0);
  CHECK(scratch(0, KernelLibrary::CmsisNnC) == 40 + 4 * 28);
  CHECK(scratch(0, KernelLibrary::CmsisNnMve) == 40 + 4 * 6 + 3 * 28);
  CHECK(scratch(1, KernelLibrary::CmsisNnC) == 40);
  CHECK(scratch(1, KernelLibrary::CmsisNnMve) == 40 + 4 * 124 * 25 + 20);
  CHECK(scratch(2, KernelLibrary::CmsisNnC) == 0);
  CHECK(scratch(2, KernelLibrary::CmsisNnDsp) == 20);
  CHECK(kernelScratch(graph, KernelLibrary::CmsisNnC) == 152);

  PlanOptions options = budget(1 << 20);
  const Plan plain = planned(graph, options);
  CHECK(plain.scratch == 0);
  options.target = "cortex-m0";
  const Plan vendor = planned(graph, options);
  CHECK(vendor.scratch == 152);
  CHECK(vendor.stats.fastPeakBytes == plain.stats.fastPeakBytes);
  // One byte less than peak and scratch together is too little for one stage.
  options.budget.fast = vendor.stats.fastPeakBytes + vendor.scratch;
  Plan same = planned(graph, options);
  CHECK(same.stages.size() == vendor.stages.size());
  applyPlan(graph, std::move(same));
  CHECK(bool(checkPlan(graph)));
  --options.budget.fast;
  options.planner = Strategy::Greedy;
  checkFails(graph, options, DiagId::OverBudget, "fast memory");
}

TEST_CASE("an axis of 2^27 elements is cut into a bounded number of tiles") {
  const Graph graph = parseGraph(R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [134217728]}
  - {name: y, type: float32, shape: [134217728]}
ops:
  - {op: Relu, name: long, in: [x], out: [y]}
)");
  PlanOptions options;
  options.budget = {1 << 20, uint64_t{1} << 32, {}};
  options.io = IoMode::Slow;
  const Expected<Plan> plan = planGraph(graph, options);
  REQUIRE(plan);
  REQUIRE(plan->stages.size() == 1);
  CHECK(plan->stages[0].stats.trafficBytes() == uint64_t{1} << 30);
}
