// Streamed stages: sizes of rolling buffers, calls and distances, computed by hand.
#include "PassTesting.h"
#include "StreamTesting.h"
#include "tigris/Check/PlanChecker.h"
#include "tigris/Plan/Planner.h"

using namespace tigris;

namespace {

/// Windows of several heights and widths over one tensor.
const char* const TwoWindows = R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 8, 8, 1]}
  - {name: a, type: float32, shape: [1, 8, 8, 1]}
  - {name: b, type: float32, shape: [1, 8, 8, 1]}
  - {name: y, type: float32, shape: [1, 8, 8, 1]}
ops:
  - {op: MaxPool, name: wide, in: [x], out: [a], attrs: {kernel_shape: [5, 5], strides: [1, 1], pads: [2, 2, 2, 2]}}
  - {op: MaxPool, name: narrow, in: [x], out: [b], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
  - {op: Add, name: join, in: [a, b], out: [y]}
)";

} // namespace

TEST_CASE("streams: rolling buffers keep what the next rows need, and nothing is computed twice") {
  const Graph graph = parseGraph(Residual);
  AccessTable access(graph);
  RowTable rows(access);
  const StreamModel model = modelOf(rows);
  CHECK(model.mostSteps() == 8);
  const StreamCost cost = *model.cost(8, 1);
  CHECK(cost.loadBytes == 32);
  CHECK(cost.storeBytes == 32);
  CHECK(cost.recomputeMacs == 0);
  // Row 0 of each pooling is computed in the step after row 1 of its input, and the last one in a
  // step without loads.
  CHECK(cost.kernelCalls == 8 + 8 + 8);
  // x and a hold the three rows of a window, b and y only new rows.
  REQUIRE(cost.buffers.size() == 5);
  CHECK(cost.buffers[0].bytes == 3 * 4);
  CHECK(cost.buffers[1].bytes == 3 * 4);
  CHECK(cost.buffers[2].bytes == 1 * 4);
  CHECK(cost.buffers[3].bytes == 1 * 4);
  // Live from their first to their last op of a step; kept rows are counted separately.
  CHECK(cost.buffers[0].birth == 0);
  CHECK(cost.buffers[0].death == 0);
  CHECK(cost.buffers[2].birth == 1);
  CHECK(cost.buffers[2].death == 2);
}

TEST_CASE("streams: a global average takes rows as they come and keeps none") {
  const Graph graph = parseGraph(Average);
  AccessTable access(graph);
  RowTable rows(access);
  const StreamModel model = modelOf(rows);
  const StreamCost cost = *model.cost(8, 1);
  // Both run in 8 of 9 steps: the second step computes the first row of a, and the ninth, without
  // loads, the last.
  CHECK(cost.kernelCalls == 8 + 8);
  CHECK(cost.storeBytes == 1);
  CHECK(cost.buffers[0].bytes == 3 * 4);
  CHECK(cost.buffers[1].bytes == 4);
  CHECK(cost.buffers[1].birth == 0);
  // A sum takes 4 bytes and is kept across steps.
  CHECK(cost.buffers[2].bytes == 4);
  CHECK(cost.buffers[2].birth == 0);
  CHECK(cost.buffers[2].death == 1);
  CHECK(model.stage(cost, model.layOut(cost, 4)).buffers[2].sink);
  // With one step all rows are present.
  const StreamCost whole = *model.cost(1, 1);
  CHECK(whole.kernelCalls == 2);
  CHECK(whole.buffers[1].bytes == 8 * 4);
  CHECK(whole.buffers[2].bytes == 1);
  CHECK_FALSE(model.stage(whole, model.layOut(whole, 4)).buffers[2].sink);
}

TEST_CASE("streams: stripes load and make the columns near their borders twice") {
  const Graph graph = parseGraph(Residual);
  AccessTable access(graph);
  RowTable rows(access);
  const StreamModel model = modelOf(rows);
  CHECK(model.stripeCounts() == std::vector<int64_t>{1, 2, 3, 4});
  const std::optional<StreamCost> cost = model.cost(8, 2);
  REQUIRE(cost);
  CHECK(model.stage(*cost, model.layOut(*cost, 4)).counts() == TileCounts{1, 8, 2, 1});
  // Columns 0..1 of y need columns 0..2 of a and all 4 of x; so do columns 2..3.
  CHECK(cost->loadBytes == 2 * 32);
  CHECK(cost->storeBytes == 32);
  CHECK(cost->buffers[0].bytes == 3 * 4);
  CHECK(cost->buffers[1].bytes == 3 * 3);
  CHECK(cost->buffers[2].bytes == 1 * 2);
  CHECK(cost->buffers[3].bytes == 1 * 2);
  // The join needs two of the three columns of a, and therefore processes rows one by one.
  CHECK(cost->kernelCalls == 2 * (8 + 8 + 8));
  CHECK(cost->buffers[4].bytes == 4 * StreamedStage::StripedBookkeepingBytes);
}

TEST_CASE(
    "streams: an op that needs all columns, or several rows of wider ones, runs in no stripes") {
  for (const std::string op : {"{op: Softmax, name: all, in: [x], out: [y], attrs: {axis: 2}}",
                               "{op: Concat, name: all, in: [x, x], out: [y], attrs: {axis: 2}}"}) {
    CAPTURE(op);
    const bool joins = op.find("Concat") != std::string::npos;
    const Graph graph = parseGraph(strCat(
        "form: normalized\nlayout: channels-last\ninputs: [{name: x}]\noutputs: [{name: y}]\n"
        "tensors:\n  - {name: x, type: float32, shape: [1, 4, 6, 2]}\n"
        "  - {name: y, type: float32, shape: [1, 4, ",
        joins ? 12 : 6, ", 2]}\nops:\n  - ", op, "\n"));
    AccessTable access(graph);
    RowTable rows(access);
    const StreamModel model = modelOf(rows);
    CHECK(model.cost(4, 1));
    CHECK_FALSE(model.cost(4, 2));
  }
  const Graph graph = parseGraph(TwoWindows);
  AccessTable access(graph);
  RowTable rows(access);
  const StreamModel model = modelOf(rows);
  CHECK(model.cost(8, 1));
  CHECK_FALSE(model.cost(8, 2));
}

TEST_CASE("streams: how far below what it reads a result must lie") {
  const Graph graph = parseGraph(Residual);
  AccessTable access(graph);
  RowTable rows(access);
  const StreamModel model = modelOf(rows);
  // Two windows later, every row that is overwritten has been read long before.
  const StreamCost cost = *model.cost(8, 1);
  REQUIRE(cost.displacements.size() == 1);
  CHECK(cost.displacements[0].load == *graph.findTensor("x"));
  CHECK(cost.displacements[0].store == *graph.findTensor("y"));
  CHECK(cost.displacements[0].bytes == 0);

  // Twice as many channels. With 8 rows in 8 steps, row r of 8 bytes is computed when 4 * (r + 1)
  // bytes have been read; the last step has read everything.
  const std::string twice = R"(form: normalized
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
  REQUIRE(doubling.cost(8, 1)->displacements.size() == 1);
  CHECK(doubling.cost(8, 1)->displacements[0].bytes == 7 * 8 - 7 * 4);
  CHECK(doubling.cost(1, 1)->displacements[0].bytes == 0);
  // If rows are not copied, the call that computes the last row also reads the last one.
  const std::set<TensorId> both = {*wider.findTensor("x"), *wider.findTensor("y")};
  CHECK(doubling.cost(8, 1, both)->displacements[0].bytes == 8 * 8 - 7 * 4);
  CHECK(doubling.cost(1, 1, both)->displacements[0].bytes == 8 * 8);
}

TEST_CASE("streams: what is in place takes no memory of the stage's own") {
  const Graph graph = parseGraph(Residual);
  AccessTable access(graph);
  RowTable rows(access);
  const StreamModel model = modelOf(rows);
  const std::set<TensorId> both = {*graph.findTensor("x"), *graph.findTensor("y")};
  const StreamCost cost = *model.cost(8, 1, both);
  CHECK(cost.buffers[0].bytes == 0);
  CHECK(cost.buffers[1].bytes == 3 * 4);
  CHECK(cost.buffers[2].bytes == 1 * 4);
  CHECK(cost.buffers[3].bytes == 0);
  CHECK(cost.kernelCalls == model.cost(8, 1)->kernelCalls);
  const StreamedStage stage = model.stage(cost, model.layOut(cost, 4));
  CHECK(stage.buffers[0].inPlace);
  CHECK(stage.buffers[0].bytes == 32);
  CHECK_FALSE(stage.buffers[1].inPlace);
  CHECK(stage.buffers[3].inPlace);
  // Stripes always copy.
  CHECK(model.cost(8, 2, both)->buffers[0].bytes == model.cost(8, 2)->buffers[0].bytes);
  CHECK_FALSE(model.cost(8, 2, both)->inPlace[0]);
}

TEST_CASE("streams: the optimal planner streams what the greedy one computes twice") {
  Graph graph = parseGraph(Residual);
  PlanOptions options;
  options.budget = {240, 4096, {}};
  options.target = "generic";
  options.planner = Strategy::Optimal;
  const Expected<Plan> plan = planGraph(graph, options);
  REQUIRE_MESSAGE(plan, (plan ? "" : plan.error().message()));
  CHECK(plan->stats.trafficBytes() <= 64 + 3 * 64);
  applyPlan(graph, *plan);
  CHECK(bool(checkPlan(graph)));
}
