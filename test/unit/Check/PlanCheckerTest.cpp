// Invalid plans: the checker must find each mutation, with a message that locates it.
#include "tigris/Check/PlanChecker.h"
#include "PassTesting.h"
#include "RandomGraphs.h"
#include "tigris/Analysis/Lifetime.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/PortCopies.h"

#include <doctest/doctest.h>

#include <functional>

using namespace tigris;

namespace {

const char* const Chain = R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: int8, shape: [1, 64], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [1, 64], quant: {scale: 1.0}}
  - {name: b, type: int8, shape: [1, 64], quant: {scale: 1.0}}
  - {name: bv, type: int8, shape: [64], quant: {scale: 1.0}}
  - {name: c, type: int8, shape: [64], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [64], quant: {scale: 1.0}}
ops:
  - {op: Relu, name: first, in: [x], out: [a]}
  - {op: Add, name: second, in: [a, a], out: [b]}
  - {op: Reshape, name: view, in: [b], out: [bv], attrs: {shape: [64]}}
  - {op: Add, name: third, in: [bv, bv], out: [c]}
  - {op: Relu, name: last, in: [c], out: [y]}
)";

Graph planned(IoMode io) {
  Graph graph = parseGraph(Chain);
  PlanOptions options;
  options.budget = {1024, 1024, {}};
  options.io = io;
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE(bool(plan));
  applyPlan(graph, *plan);
  REQUIRE(bool(checkPlan(graph)));
  return graph;
}

/// Of the only stage.
std::vector<Placement>& placements(Plan& plan) {
  return std::get<WholeStage>(plan.stages[0].execution).placements;
}

/// Where the only stage has the tensor.
uint64_t& place(const Graph& graph, Plan& plan, const char* name) {
  for (Placement& placement : placements(plan))
    if (graph.tensor(placement.tensor).name == name)
      return placement.offset;
  FAIL("no such placement");
  return plan.stages[0].peak;
}

void checkRefused(IoMode io, const std::function<void(const Graph&, Plan&)>& mutate,
                  const std::string& text) {
  Graph graph = planned(io);
  Plan plan = *graph.plan();
  mutate(graph, plan);
  graph.setPlan(plan);
  const Status status = checkPlan(graph);
  REQUIRE_FALSE_MESSAGE(bool(status), text);
  CHECK(status.error().id() == DiagId::BadPlan);
  CHECK_MESSAGE(status.error().message().find(text) != std::string::npos, status.error().message());
}

} // namespace

TEST_CASE("a graph without a plan") { CHECK_FALSE(bool(checkPlan(parseGraph(Chain)))); }

TEST_CASE("broken structure") {
  checkRefused(
      IoMode::Caller, [](const Graph&, Plan& p) { p.stages[0].ops.pop_back(); },
      "at position 4 they have nothing, the order has 'last'");
  checkRefused(
      IoMode::Caller,
      [](const Graph&, Plan& p) { std::swap(p.stages[0].ops[0], p.stages[0].ops[1]); },
      "at position 0 they have 'second'");
  checkRefused(
      IoMode::Caller, [](const Graph&, Plan& p) { p.align = 12; }, "not a power of two");
  checkRefused(
      IoMode::Caller, [](const Graph&, Plan& p) { placements(p).push_back(placements(p)[0]); },
      "places tensor 'a' twice");
  checkRefused(
      IoMode::Caller, [](const Graph& g, Plan& p) { place(g, p, "a") += 4; },
      "not a multiple of 8");
  checkRefused(
      IoMode::Caller, [](const Graph& g, Plan& p) { place(g, p, "a") = 1000; },
      "the budget is 1024");
  checkRefused(
      IoMode::Caller, [](const Graph&, Plan& p) { p.budget.fast = 60; }, "the budget is 60");
  checkRefused(
      IoMode::Slow, [](const Graph&, Plan& p) { p.budget.slow.reset(); },
      "in slow memory, but there is none");
}

TEST_CASE("bytes that are not what an op expects") {
  checkRefused(
      IoMode::Caller, [](const Graph& g, Plan& p) { place(g, p, "b") = place(g, p, "a") ^ 32; },
      "op 'second' writes tensor 'b' over its own tensor 'a'");
  checkRefused(
      IoMode::Caller, [](const Graph&, Plan& p) { placements(p).clear(); },
      "has no place in fast memory");
  checkRefused(
      IoMode::Slow, [](const Graph&, Plan& p) { p.stages[0].loads.clear(); },
      "op 'first' reads tensor 'x'");
  checkRefused(
      IoMode::Slow, [](const Graph&, Plan& p) { p.stages[0].spills.clear(); },
      "the caller reads tensor 'y'");
  checkRefused(
      IoMode::Slow, [](const Graph&, Plan& p) { p.slow[1].offset = p.slow[0].offset; },
      "slow_peak_bytes is stated as");
  checkRefused(
      IoMode::Slow, [](const Graph&, Plan& p) { p.slow.clear(); },
      "which has no place in slow memory");
}

TEST_CASE("a tensor overwritten while it is needed") {
  // x may be overwritten after `first` has read it; a later reader makes that wrong.
  Graph graph = planned(IoMode::Arena);
  graph.setInputs(*graph.findOp("last"), {*graph.findTensor("x")});
  const Status status = checkPlan(graph);
  REQUIRE_FALSE(bool(status));
  CHECK(status.error().message().find("op 'last' reads tensor 'x'") != std::string::npos);
}

TEST_CASE("figures that are not true") {
  const auto refuse = [](uint64_t PlanStats::*field, const char* text) {
    checkRefused(
        IoMode::Slow, [&](const Graph&, Plan& p) { p.stats.*field += 1; }, text);
  };
  refuse(&PlanStats::fastPeakBytes, "fast_peak_bytes is stated as");
  refuse(&PlanStats::slowPeakBytes, "slow_peak_bytes is stated as");
  refuse(&PlanStats::slowReadBytes, "slow_read_bytes is stated as 65, the replay counts 64");
  refuse(&PlanStats::slowWriteBytes, "slow_write_bytes is stated as");
  refuse(&PlanStats::kernelCalls, "kernel_calls is stated as");
  refuse(&PlanStats::recomputeMacs, "recompute_macs is stated as 1, the replay counts 0");
}

TEST_CASE("an edited plan: figures are counted again, and the difference is named") {
  const Graph graph = planned(IoMode::Slow);
  const auto recount = [&](const std::function<void(Plan&)>& edit, DiagnosticEngine& warnings) {
    Graph edited = graph;
    Plan plan = *graph.plan();
    edit(plan);
    edited.setPlan(plan);
    REQUIRE(bool(recountPlan(edited, warnings)));
    REQUIRE(bool(checkPlan(edited)));
    return *edited.plan();
  };
  DiagnosticEngine silent;
  CHECK(recount([](Plan&) {}, silent).provenOptimal == graph.plan()->provenOptimal);
  const Plan bare = recount(
      [](Plan& plan) {
        plan.stats = PlanStats();
        plan.stages[0].stats = StageStats();
        plan.stages[0].peak = 0;
      },
      silent);
  CHECK(bare.stats.macs == graph.plan()->stats.macs);
  CHECK(bare.stats.ioBytes == graph.plan()->stats.ioBytes);
  CHECK(bare.stats.unscheduledPeakBytes != 0);
  CHECK(silent.all().empty());

  DiagnosticEngine found;
  const Plan moved = recount([](Plan& plan) { placements(plan).back().offset = 512; }, found);
  CHECK(moved.stages[0].peak > graph.plan()->stages[0].peak);
  CHECK(moved.stats.fastPeakBytes == moved.stages[0].peak);
  CHECK_FALSE(moved.provenOptimal);
  REQUIRE(found.all().size() == 1);
  CHECK(found.all()[0].message.find("stage 0: peak is stated as ") != std::string::npos);
  CHECK(found.all()[0].message.find("; fast_peak_bytes is stated as ") != std::string::npos);

  DiagnosticEngine impossible;
  CHECK(recount([](Plan& plan) { plan.bounds.fastPeakBytes = 5000; }, impossible)
            .bounds.fastPeakBytes == 0);
}

TEST_CASE("random offsets: accepted only when no live bytes collide") {
  // The oracle: two tensors with overlapping lifetimes must not share bytes, except views.
  std::mt19937 random(3);
  int accepted = 0;
  for (uint32_t round = 0; round < 300; ++round) {
    Graph graph = test::randomGraph(round, 6);
    insertPortCopies(graph);
    PlanOptions options;
    options.budget.fast = 1 << 20;
    Expected<Plan> plan = planGraph(graph, options);
    REQUIRE(bool(plan));
    const AliasSets aliases(graph, plan->stages[0].ops);
    const auto buffers = computeLifetimes(graph, plan->stages[0].ops, aliases, plan->io);
    if (buffers.empty())
      continue;
    std::vector<uint64_t> offsets;
    uint64_t peak = 0;
    placements(*plan).clear();
    for (const LiveBuffer& buffer : buffers) {
      offsets.push_back(random() % 40 * 8);
      peak = std::max(peak, offsets.back() + buffer.bytes);
      for (const TensorId id : buffer.tensors)
        placements(*plan).push_back({id, offsets.back()});
    }
    plan->stages[0].peak = plan->stats.fastPeakBytes = peak;
    bool collides = false;
    for (size_t i = 0; i < buffers.size(); ++i)
      for (size_t k = 0; k < i; ++k)
        collides |= buffers[i].overlaps(buffers[k]) && offsets[i] < offsets[k] + buffers[k].bytes &&
                    offsets[k] < offsets[i] + buffers[i].bytes;
    applyPlan(graph, *plan);
    const Status status = checkPlan(graph);
    if (!collides)
      CHECK_MESSAGE(bool(status), (status ? "" : status.error().message()));
    accepted += bool(status) ? 1 : 0;
    if (bool(status) && collides) {
      // The oracle is stricter only if a view is counted longer than its bytes are read.
      bool hasView = false;
      for (const OpId id : graph.order())
        hasView |= aliases.isView(graph.op(id));
      CHECK(hasView);
    }
  }
  CHECK(accepted > 10);
}

namespace {

/// A pooling with a halo of one row on each side; x and y have 8 rows of 16 bytes each.
const char* const Tiles = R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [1, 8, 4, 4], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 8, 4, 4], quant: {scale: 1.0}}
ops:
  - {op: MaxPool, name: pool, in: [x], out: [y], attrs: {kernel_shape: [3, 1], pads: [1, 0, 1, 0]}}
)";

TiledStage& tiles(Stage& stage) { return std::get<TiledStage>(stage.execution); }

void checkTilesRefused(const std::function<void(Stage&)>& mutate, const std::string& text) {
  Graph graph = parseGraph(Tiles);
  PlanOptions options;
  options.budget = {200, 1024, {}};
  const Expected<Plan> made = planGraph(graph, options);
  REQUIRE(bool(made));
  Plan plan = *made;
  REQUIRE(plan.stages.size() == 1);
  REQUIRE(plan.stages[0].tiled() != nullptr);
  applyPlan(graph, plan);
  REQUIRE(bool(checkPlan(graph)));
  mutate(plan.stages[0]);
  const TiledStage& tiled = tiles(plan.stages[0]);
  // The peak is adjusted, so that the check of the tiles itself is reached.
  uint64_t peak = tiled.bookkeeping + tiled.bookkeepingBytes();
  for (const PartBuffer& buffer : tiled.buffers)
    peak = std::max(peak, buffer.offset + buffer.bytes);
  plan.stages[0].peak = plan.stats.fastPeakBytes = peak;
  graph.setPlan(plan);
  const Status status = checkPlan(graph);
  REQUIRE_FALSE_MESSAGE(bool(status), text);
  CHECK(status.error().id() == DiagId::BadPlan);
  CHECK_MESSAGE(status.error().message().find(text) != std::string::npos, status.error().message());
}

} // namespace

TEST_CASE("figures of a stage that are not true") {
  const auto refuse = [](uint64_t StageStats::*field, const char* text) {
    checkRefused(
        IoMode::Slow, [&](const Graph&, Plan& p) { p.stages[0].stats.*field += 1; }, text);
    checkTilesRefused([&](Stage& s) { s.stats.*field += 100; }, text);
  };
  refuse(&StageStats::slowReadBytes, "stage 0: slow_read_bytes is stated as");
  refuse(&StageStats::slowWriteBytes, "stage 0: slow_write_bytes is stated as");
  refuse(&StageStats::kernelCalls, "stage 0: kernel_calls is stated as");
  refuse(&StageStats::haloRows, "stage 0: halo_rows is stated as");
  checkRefused(
      IoMode::Slow,
      [](const Graph&, Plan& p) { p.stages[0].stats.recomputeMacs = p.stats.recomputeMacs = 5; },
      "stage 0: recompute_macs is stated as 5, the replay counts 0");
  checkTilesRefused([](Stage& s) { s.stats.recomputeMacs += UINT64_MAX / 2; },
                    "stage 0: recompute_macs is stated as");
}

TEST_CASE("broken tiles") {
  checkTilesRefused([](Stage& s) { tiles(s).buffers[1].offset = tiles(s).buffers[0].offset; },
                    "writes over its operand tensor 'x'");
  checkTilesRefused([](Stage& s) { tiles(s).buffers[0].bytes -= 16; }, "its buffer has");
  checkTilesRefused([](Stage& s) { tiles(s).buffers[0].offset = tiles(s).bookkeeping; },
                    "overlaps the executor's bookkeeping");
  checkTilesRefused([](Stage& s) { tiles(s).buffers[0].reloadAxes = 0; },
                    "is not loaded again although it needs another box");
  checkTilesRefused([](Stage& s) { tiles(s).buffers.pop_back(); },
                    "spill of tensor 'y', which has no place in fast memory");
  checkTilesRefused(
      [](Stage& s) {
        tiles(s).buffers.erase(tiles(s).buffers.begin());
        s.loads.clear();
      },
      "tensor 'x' has no buffer");
  checkTilesRefused([](Stage& s) { tiles(s).buffers[1] = tiles(s).buffers[0]; },
                    "two buffers for tensor 'x'");
  checkTilesRefused([](Stage& s) { tiles(s).tiles[1] = 8; }, "makes more than");
  checkTilesRefused([](Stage& s) { s.spills.clear(); }, "expected 1");
}

TEST_CASE("two results of an op in tiles stay apart") {
  Graph graph = parseGraph(R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: v}
  - {name: i}
tensors:
  - {name: x, type: float32, shape: [1, 8, 8, 4]}
  - {name: v, type: float32, shape: [1, 1, 8, 4]}
  - {name: i, type: int64, shape: [1, 1, 8, 4]}
ops:
  - {op: TopK, name: top, in: [x], out: [v, i], attrs: {K: 1, axis: 1}}
)");
  PlanOptions options;
  options.budget = {1024, 4096, {}};
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE(bool(plan));
  Stage& stage = plan->stages[0];
  REQUIRE(stage.tiled() != nullptr);
  applyPlan(graph, *plan);
  CHECK(bool(checkPlan(graph)));
  tiles(stage).buffers[2].offset = tiles(stage).buffers[1].offset;
  graph.setPlan(*plan);
  const Status status = checkPlan(graph);
  REQUIRE_FALSE(bool(status));
  CHECK(status.error().message().find(
            "op 'top' writes its results over each other: tensor 'v' at") != std::string::npos);
}

TEST_CASE("tiles that the loader would refuse") {
  checkTilesRefused([](Stage& s) { tiles(s).buffers[0].bytes += 64; },
                    "writes over its operand tensor 'x': its buffer at ");
  checkTilesRefused([](Stage& s) { tiles(s).tiles[1] = 9; },
                    "cuts axis 1 into 9 tiles, expected 8");
  checkTilesRefused(
      [](Stage& s) {
        tiles(s).tiles = {1, 8, 4, 5};
      },
      "cuts axis 3 into 5 tiles, expected 4");
  checkTilesRefused([](Stage& s) { tiles(s).buffers[0].reloadAxes = 16; },
                    "reload_axes of tensor 'x' is 16, expected 0 to 15");
  checkTilesRefused([](Stage& s) { tiles(s).buffers[1].reloadAxes = 1; },
                    "reload_axes of tensor 'y' is 1, expected 0 as it is not loaded");
}

TEST_CASE("a plan whose stages leave no room for the kernels' scratch") {
  Graph graph = parseGraph(Tiles);
  PlanOptions options;
  options.budget = {200, 1024, {}};
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE(bool(plan));
  plan->scratch = plan->budget.fast - plan->stages[0].peak;
  applyPlan(graph, *plan);
  CHECK(bool(checkPlan(graph)));
  ++plan->scratch;
  graph.setPlan(*plan);
  const Status status = checkPlan(graph);
  REQUIRE_FALSE(bool(status));
  CHECK(status.error().message().find("the budget is 200, of which kernels need") !=
        std::string::npos);
}
