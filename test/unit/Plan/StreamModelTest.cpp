// Streamed stages: rolling buffers of hand-computed sizes, and figures that the replay counts, too.
#include "tigris/Plan/StreamModel.h"
#include "PassTesting.h"
#include "tigris/Plan/PlanChecker.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/StreamReplay.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// Two 3x3 poolings over 8 rows of 4 bytes, the second around which a residual goes.
const char* const Residual = R"(stage: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [1, 8, 4, 1], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [1, 8, 4, 1], quant: {scale: 1.0}}
  - {name: b, type: int8, shape: [1, 8, 4, 1], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 8, 4, 1], quant: {scale: 1.0}}
ops:
  - {op: MaxPool, name: first, in: [x], out: [a], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
  - {op: MaxPool, name: second, in: [a], out: [b], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
  - {op: Add, name: join, in: [a, b], out: [y]}
)";

StreamModel modelOf(RowTable& rows) {
  const Graph& graph = rows.graph();
  const std::vector<TensorId> loads = {*graph.findTensor("x")};
  const std::vector<TensorId> stores = {*graph.findTensor("y")};
  std::optional<StreamModel> model = StreamModel::make(rows, graph.order(), loads, stores);
  REQUIRE(model);
  return std::move(*model);
}

} // namespace

TEST_CASE("streams: rolling buffers keep what the next rows need, and nothing is computed twice") {
  const Graph graph = parseGraph(Residual);
  AccessTable access(graph);
  RowTable rows(access);
  const StreamModel model = modelOf(rows);
  CHECK(model.mostSteps() == 8);
  const TileCost cost = model.cost(8);
  CHECK(cost.loadBytes == 32);
  CHECK(cost.storeBytes == 32);
  CHECK(cost.recomputeMacs == 0);
  // Row 0 of each pooling comes in the step after its input's row 1, two rows come in the last step; so each op
  // runs in 7, 6 and 6 of the 8 steps.
  CHECK(cost.kernelCalls == 7 + 6 + 6);
  // x: three rows under the window. a: three, and one more when the last step makes two. b and y: what is new.
  REQUIRE(cost.buffers.size() == 5);
  CHECK(cost.buffers[0].bytes == 3 * 4);
  CHECK(cost.buffers[1].bytes == 4 * 4);
  CHECK(cost.buffers[2].bytes == 3 * 4);
  CHECK(cost.buffers[3].bytes == 3 * 4);
  CHECK(cost.buffers[0].birth == 0);
  CHECK(cost.buffers[0].death == 2);
  CHECK(cost.buffers[2].birth == 1);
  CHECK(cost.buffers[2].death == 2);
}

TEST_CASE("streams: the replay counts what the model says, for every number of steps") {
  const Graph graph = parseGraph(Residual);
  AccessTable access(graph);
  RowTable rows(access);
  const StreamModel model = modelOf(rows);
  for (int64_t steps = 1; steps <= 8; ++steps) {
    CAPTURE(steps);
    const TileCost cost = model.cost(steps);
    Stage stage;
    stage.mode = StageMode::Streamed;
    stage.ops = graph.order();
    stage.loads = {*graph.findTensor("x")};
    stage.spills = {*graph.findTensor("y")};
    stage.tiling = model.tiling(cost, model.layOut(cost, 4));
    const auto counts = StreamReplay(graph, stage).run();
    REQUIRE_MESSAGE(counts, (counts ? "" : counts.error().message()));
    CHECK(counts->kernelCalls == cost.kernelCalls);
    CHECK(counts->loaded.at(stage.loads[0]) == 32);
    CHECK(counts->stored.at(stage.spills[0]) == 32);
    // A byte less anywhere is noticed.
    for (size_t i = 0; i < stage.tiling->buffers.size(); ++i) {
      Stage broken = stage;
      --broken.tiling->buffers[i].bytes;
      CHECK_FALSE(bool(StreamReplay(graph, broken).run()));
    }
  }
}

TEST_CASE("streams: how far below what it reads a result must lie") {
  const Graph graph = parseGraph(Residual);
  AccessTable access(graph);
  RowTable rows(access);
  const StreamModel model = modelOf(rows);
  // Two windows behind: every row that is written has been read long before.
  const TileCost cost = model.cost(8);
  REQUIRE(cost.leads.size() == 1);
  CHECK(cost.leads[0].load == *graph.findTensor("x"));
  CHECK(cost.leads[0].store == *graph.findTensor("y"));
  CHECK(cost.leads[0].bytes == 0);

  // Twice as many channels: of 8 rows in 8 steps, row r of 8 bytes is made when 4 * (r + 1) bytes are read; the last
  // step has read everything.
  const std::string twice = R"(stage: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [1, 8, 4, 1], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 8, 4, 2], quant: {scale: 1.0}}
ops:
  - {op: Concat, name: both, in: [x, x], out: [y], attrs: {axis: 3}}
)";
  const Graph wider = parseGraph(twice.c_str());
  AccessTable widerAccess(wider);
  RowTable widerRows(widerAccess);
  const StreamModel doubling = modelOf(widerRows);
  REQUIRE(doubling.cost(8).leads.size() == 1);
  CHECK(doubling.cost(8).leads[0].bytes == 7 * 8 - 7 * 4);
  CHECK(doubling.cost(1).leads[0].bytes == 0);
}

TEST_CASE("streams: the optimal planner streams what the greedy one computes twice") {
  Graph graph = parseGraph(Residual);
  PlanOptions options;
  options.budget = {240, 4096, {}};
  options.target = "generic";
  options.planner = "optimal";
  const Expected<Plan> plan = planGraph(graph, options);
  REQUIRE_MESSAGE(plan, (plan ? "" : plan.error().message()));
  CHECK(plan->stats.slowReadBytes + plan->stats.slowWriteBytes <= 64 + 3 * 64);
  applyPlan(graph, *plan);
  CHECK(bool(checkPlan(graph)));
}
