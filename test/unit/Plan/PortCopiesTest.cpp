// Outputs without a tensor of their own, and outputs that are constants.
#include "tigris/Plan/PortCopies.h"
#include "PassTesting.h"
#include "tigris/Check/PlanChecker.h"
#include "tigris/Plan/Planner.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// y = Relu(x), and 4 KiB of constants that are an output.
const char* const Detector = R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
  - {name: anchors}
tensors:
  - {name: x, type: float32, shape: [1, 64]}
  - {name: y, type: float32, shape: [1, 64]}
  - {name: c, type: float32, shape: [256, 4], const: true}
  - {name: anchors, type: float32, shape: [256, 4]}
ops:
  - {op: Relu, name: relu, in: [x], out: [y]}
  - {op: Reshape, name: copy, in: [c], out: [anchors], attrs: {shape: [256, 4]}}
blobs:
  - {name: c, fill: {seed: 1, amplitude: 1.0}}
)";

Graph detector() { return parseGraph(Detector); }

PlanStats statsOf(Graph graph, IoMode io) {
  PlanOptions options;
  options.io = io;
  options.budget.fast = 1 << 20;
  if (io == IoMode::Slow)
    options.budget.slow = 1 << 20;
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE_MESSAGE(bool(plan), (plan ? "" : plan.error().message()));
  applyPlan(graph, std::move(*plan));
  const Status status = checkPlan(graph);
  CHECK_MESSAGE(bool(status), (status ? "" : status.error().message()));
  return graph.plan()->stats;
}

} // namespace

TEST_CASE("a constant output takes no memory, whatever the convention") {
  const Graph copied = detector();
  Graph kept = copied;
  CHECK(keepConstantOutputs(kept) == 1);
  CHECK(keepConstantOutputs(kept) == 0);
  CHECK(kept.tensor(kept.outputs()[1].tensor).isConstant());
  CHECK(kept.tensors().size() == 3); // without the constant that was copied
  CHECK(hasOwnOutputTensors(kept));
  CHECK(statsOf(copied, IoMode::Arena).fastPeakBytes == 256 + 4096);
  CHECK(statsOf(kept, IoMode::Arena).fastPeakBytes == 256);
  CHECK(statsOf(copied, IoMode::Slow).slowPeakBytes == 512 + 4096);
  CHECK(statsOf(kept, IoMode::Slow).slowPeakBytes == 512);
  CHECK(statsOf(kept, IoMode::Slow).compulsoryBytes == 512);
  CHECK(statsOf(kept, IoMode::Caller).ioBytes == 512);
}

TEST_CASE(
    "constants are copied to outputs if weights are, for states, and if there is no other op") {
  Graph kept = detector();
  keepConstantOutputs(kept);
  CHECK(insertPortCopies(kept, false) == 0);
  CHECK(insertPortCopies(kept) == 1);
  CHECK_FALSE(kept.tensor(kept.outputs()[1].tensor).isConstant());

  Graph state = detector();
  state.editOutput(1).state = "x";
  CHECK(keepConstantOutputs(state) == 0);

  Graph alone = detector();
  alone.eraseOp(alone.order()[0]);
  CHECK(keepConstantOutputs(alone) == 0);
}

TEST_CASE("the checker refuses a constant output where all weights are copied") {
  Graph graph = detector();
  keepConstantOutputs(graph);
  PlanOptions options;
  options.budget.fast = 1 << 20;
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE(bool(plan));
  plan->weights = WeightMemory::Copy;
  applyPlan(graph, std::move(*plan));
  const Status status = checkPlan(graph);
  REQUIRE_FALSE(bool(status));
  CHECK(status.error().message().find("'anchors' is a constant") != std::string::npos);
}
