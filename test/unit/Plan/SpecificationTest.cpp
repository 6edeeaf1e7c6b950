// The specified strategy: the hand-worked tables of the specification, and plans that run.
#include "PassTesting.h"
#include "RandomGraphs.h"
#include "tigris/Analysis/Overflow.h"
#include "tigris/Check/PlanChecker.h"
#include "tigris/Plan/PlanRemarks.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/PortCopies.h"
#include "tigris/Plan/Search/PlanDrafts.h"
#include "tigris/Plan/Specification/SpatialPartition.h"
#include "tigris/Plan/Specification/SpecifiedTimeline.h"
#include "tigris/Plan/Specification/TemporalPartition.h"
#include "tigris/Plan/Specification/Tileability.h"
#include "tigris/Support/Remarks.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

std::string module(const std::string& tensors, const std::string& ops) {
  return strCat("form: normalized\nlayout: channels-last\ninputs: [{name: x}]\n"
                "outputs: [{name: y}]\ntensors:\n",
                tensors, "ops:\n", ops);
}

/// Six ops on vectors of 400 bytes; b and a are read again at the end.
const std::string Skips = module(R"(  - {name: x, type: float32, shape: [1, 100]}
  - {name: a, type: float32, shape: [1, 100]}
  - {name: b, type: float32, shape: [1, 100]}
  - {name: c, type: float32, shape: [1, 100]}
  - {name: d, type: float32, shape: [1, 100]}
  - {name: e, type: float32, shape: [1, 100]}
  - {name: y, type: float32, shape: [1, 100]}
)",
                                 R"(  - {op: CumSum, name: f1, in: [x], out: [a], attrs: {axis: 1}}
  - {op: CumSum, name: f2, in: [a], out: [b], attrs: {axis: 1}}
  - {op: CumSum, name: f3, in: [b], out: [c], attrs: {axis: 1}}
  - {op: CumSum, name: f4, in: [c], out: [d], attrs: {axis: 1}}
  - {op: Add, name: f5, in: [d, b], out: [e]}
  - {op: Add, name: f6, in: [e, a], out: [y]}
)");

/// A convolution of 32x32x8 float maps with "same" padding.
std::string convolution(int64_t kernel, int64_t stride) {
  const int64_t out = 32 / stride;
  const int64_t pad = (kernel - 1) / 2;
  return strCat(module(strCat("  - {name: x, type: float32, shape: [1, 32, 32, 8]}\n"
                              "  - {name: w, type: float32, shape: [8, 8, ",
                              kernel, ", ", kernel,
                              "], const: true}\n"
                              "  - {name: y, type: float32, shape: [1, ",
                              out, ", ", out, ", 8]}\n"),
                       strCat("  - {op: Conv, name: conv, in: [x, w], out: [y], attrs: "
                              "{kernel_shape: [",
                              kernel, ", ", kernel, "], strides: [", stride, ", ", stride,
                              "], pads: [", pad, ", ", pad, ", ", pad, ", ", pad, "]}}\n")),
                "blobs:\n  - {name: w, fill: {seed: 1, amplitude: 1.0}}\n");
}

/// Two 3x3 convolutions on 64x64 maps with 3, 16 and 16 channels.
const std::string TwoConvolutions = module(
    R"(  - {name: x, type: float32, shape: [1, 64, 64, 3]}
  - {name: v, type: float32, shape: [16, 3, 3, 3], const: true}
  - {name: a, type: float32, shape: [1, 64, 64, 16]}
  - {name: w, type: float32, shape: [16, 16, 3, 3], const: true}
  - {name: y, type: float32, shape: [1, 64, 64, 16]}
)",
    R"(  - {op: Conv, name: c1, in: [x, v], out: [a], attrs: {kernel_shape: [3, 3], pads: [1, 1, 1, 1]}}
  - {op: Conv, name: c2, in: [a, w], out: [y], attrs: {kernel_shape: [3, 3], pads: [1, 1, 1, 1]}}
blobs:
  - {name: v, fill: {seed: 1, amplitude: 1.0}}
  - {name: w, fill: {seed: 2, amplitude: 1.0}}
)");

/// A graph with its drafts in slow memory.
struct SpecSubject {
  explicit SpecSubject(const std::string& text)
      : graph(parseGraph(text.c_str())), aliases(graph, graph.order()),
        drafter(graph, graph.order(), aliases, IoMode::Slow, 8) {}

  Graph graph;
  AliasSets aliases;
  StageDrafter drafter;
};

PlanOptions asSpecified(uint64_t fast) {
  PlanOptions options;
  options.budget = {fast, uint64_t{1} << 24, std::nullopt};
  options.planner = Strategy::Specification;
  return options;
}

/// A plan that the checker accepts.
Plan checkedPlan(Graph graph, const PlanOptions& options) {
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE_MESSAGE(bool(plan), (plan ? "" : plan.error().message()));
  CHECK(plan->stats.fastPeakBytes <= options.budget.fast);
  applyPlan(graph, *plan);
  const Status checked = checkPlan(graph);
  CHECK_MESSAGE(bool(checked), (checked ? "" : checked.error().message()));
  return *plan;
}

Plan planOf(const std::string& text, uint64_t fast) {
  return checkedPlan(parseGraph(text.c_str()), asSpecified(fast));
}

int64_t rowTiles(const Plan& plan) {
  REQUIRE(plan.stages.size() == 1);
  REQUIRE(plan.stages[0].tiled() != nullptr);
  return plan.stages[0].tiled()->tiles[RowAxis];
}

std::string joinedNames(const Graph& graph, const std::vector<TensorId>& tensors) {
  std::string text;
  for (const TensorId id : tensors)
    text += graph.tensor(id).name;
  return text;
}

int64_t haloOf(std::vector<HeightWindow> windows) { return haloRows(windows); }

} // namespace

TEST_CASE("specification: receptive field and halo") {
  CHECK(haloOf({{3, 1, 1}}) == 2);
  CHECK(haloOf({{5, 1, 1}}) == 4);
  CHECK(haloOf({{3, 2, 1}}) == 2);
  CHECK(haloOf({{3, 1, 1}, {3, 1, 1}}) == 4);
  CHECK(haloOf({{3, 1, 2}}) == 4);
  CHECK(haloOf({}) == 0);
  // In reverse order, the stride of the last window widens the first.
  CHECK(haloOf({{3, 1, 1}, {3, 2, 1}}) == 2 + 2 * 2);
}

TEST_CASE("specification: tile height, tiles, tiled peak and overhead") {
  // c3: operand and result of 32 KiB each.
  CHECK(tileHeight(16384, 32, 65536, 2) == 6);
  CHECK(tileCount(32, 6) == 6);
  CHECK(tiledPeak(65536, 6, 2, 32) == 16384);
  CHECK(overheadBytes(2, 32 * 8 * 4, 3) == 4096);
  CHECK(tileHeight(16384, 32, 65536, 4) == 4); // c5
  CHECK(tileHeight(100, 32, 65536, 2) == -2);  // the halo alone is too large
  CHECK(tileHeight(uint64_t{1} << 62, 65536, uint64_t{1} << 62, 0) == 65536);
  CHECK(inputTileHeight(6, {3, 1, 1}) == 8);
  CHECK(inputTileHeight(4, {3, 2, 1}) == 10);
  CHECK(inputTileHeight(4, {3, 1, 2}) == 8);
}

TEST_CASE("specification: figures of single convolutions in 16 KiB") {
  const auto figures = [](int64_t kernel, int64_t stride) {
    const SpecSubject subject(convolution(kernel, stride));
    return tileFigures(subject.drafter.view(), 0, 16384);
  };
  const TileFigures c3 = figures(3, 1);
  CHECK(c3.peak == 65536);
  CHECK(c3.receptiveField == 3);
  CHECK(tileCount(32, c3.tileHeight) == 6);
  CHECK(tileCount(32, figures(5, 1).tileHeight) == 8);
  CHECK(tileCount(16, figures(3, 2).tileHeight) == 4);
  CHECK(tileCount(32, figures(1, 1).tileHeight) == 4);
}

TEST_CASE("specification: convolutions in strips") {
  CHECK(rowTiles(planOf(convolution(3, 1), 16384)) == 6);
  CHECK(rowTiles(planOf(convolution(5, 1), 16384)) == 8);
  CHECK(rowTiles(planOf(convolution(3, 2), 16384)) == 4);
  // Eight rows of operand and result take all 16 KiB, and the executor's records 64 bytes more: the
  // height is reduced to seven rows.
  CHECK(rowTiles(planOf(convolution(1, 1), 16384)) == 5);
  CHECK(rowTiles(planOf(convolution(1, 1), 16384 + 64)) == 4);
  // One stage if it fits.
  const Plan whole = planOf(convolution(3, 1), 65536);
  CHECK(whole.stages[0].mode() == StageMode::Whole);
  // Strips load each halo row again.
  const Plan strips = planOf(convolution(3, 1), 16384);
  CHECK(strips.stats.slowReadBytes == 32768 + overheadBytes(2, 32 * 8 * 4, 6));
}

TEST_CASE("specification: a chain's tiles are the highest that fit together") {
  SpecSubject subject(TwoConvolutions);
  const OrderView& view = subject.drafter.view();
  // Rows of 768, 4096 and 4096 bytes; 10, 8 and 6 of them.
  CHECK(chainBytes(view, 0, 2, 6) == 10 * 768 + (8 + 6) * 4096);
  CHECK(isChainLink(view, 0, 1, 2));
  const Plan wide = planOf(TwoConvolutions, 65536);
  CHECK(rowTiles(wide) == 11);
  CHECK(rowTiles(planOf(TwoConvolutions, 32768)) == 32);
  // The map between the two never leaves the arena.
  CHECK(wide.stats.slowWriteBytes == 64 * 64 * 16 * 4);
  CHECK(wide.stages[0].spills.size() == 1);
  // The operand's tile is freed before the result's exists.
  CHECK(wide.stats.fastPeakBytes == (8 + 6) * 4096 + 3 * 32);
}

TEST_CASE("specification: tensors are freed before the step allocates") {
  const SpecSubject chain(module(R"(  - {name: x, type: float32, shape: [1, 100]}
  - {name: a, type: float32, shape: [1, 100]}
  - {name: b, type: float32, shape: [1, 100]}
  - {name: y, type: float32, shape: [1, 100]}
)",
                                 R"(  - {op: CumSum, name: f1, in: [x], out: [a], attrs: {axis: 1}}
  - {op: CumSum, name: f2, in: [a], out: [b], attrs: {axis: 1}}
  - {op: CumSum, name: f3, in: [b], out: [y], attrs: {axis: 1}}
)"));
  CHECK(specifiedPeak(chain.drafter.view(), 0, 3) == 400);
  CHECK(chain.drafter.whole(0, 3).height == 800);
  const SpecSubject diamond(
      module(R"(  - {name: x, type: float32, shape: [1, 100]}
  - {name: a, type: float32, shape: [1, 100]}
  - {name: b, type: float32, shape: [1, 100]}
  - {name: y, type: float32, shape: [1, 100]}
)",
             R"(  - {op: CumSum, name: f1, in: [x], out: [a], attrs: {axis: 1}}
  - {op: CumSum, name: f2, in: [x], out: [b], attrs: {axis: 1}}
  - {op: Add, name: f3, in: [a, b], out: [y]}
)"));
  CHECK(specifiedPeak(diamond.drafter.view(), 0, 3) == 800);
  CHECK(diamond.drafter.whole(0, 3).height == 1200);
}

TEST_CASE("specification: peaks do not decrease with more ops") {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const Graph graph = test::randomGraph(seed, 24);
    const AliasSets aliases(graph, graph.order());
    const OrderView view(graph, graph.order(), aliases, IoMode::Slow, 8);
    for (size_t begin = 0; begin < graph.order().size(); begin += 5)
      for (size_t end = begin + 2; end <= graph.order().size(); ++end)
        CHECK(specifiedPeak(view, begin, end) >= specifiedPeak(view, begin, end - 1));
  }
}

TEST_CASE("specification: cuts before the op that exceeds the budget") {
  SpecSubject subject(Skips);
  // All six ops have a peak of 1200 bytes, but f4 needs a, b, its operand and its result: 1600. The
  // stage is cut again.
  CHECK(specifiedPeak(subject.drafter.view(), 0, 6) == 1200);
  const std::vector<TemporalStage> stages = partitionInTime(subject.drafter, 1300);
  REQUIRE(stages.size() == 3);
  CHECK(stages[0].end == 3);
  CHECK(stages[1].end == 5);
  CHECK(stages[2].end == 6);
  const Plan plan = planOf(Skips, 1300);
  REQUIRE(plan.stages.size() == 3);
  const char* const loads[] = {"x", "cb", "ea"};
  const char* const spills[] = {"abc", "e", "y"};
  for (size_t i = 0; i < 3; ++i) {
    CHECK(joinedNames(subject.graph, plan.stages[i].loads) == loads[i]);
    CHECK(joinedNames(subject.graph, plan.stages[i].spills) == spills[i]);
  }
}

TEST_CASE("specification: categories and the single spatial op") {
  const SpecSubject subject(module(
      R"(  - {name: x, type: float32, shape: [1, 8, 8, 4]}
  - {name: a, type: float32, shape: [1, 8, 8, 4]}
  - {name: b, type: float32, shape: [1, 8, 8, 4]}
  - {name: c, type: float32, shape: [1, 8, 8, 8]}
  - {name: d, type: float32, shape: [1, 16, 8, 8]}
  - {name: e, type: float32, shape: [1, 16, 16, 8]}
  - {name: f, type: float32, shape: [1, 16, 16, 8]}
  - {name: g, type: float32, shape: [1, 1, 1, 8]}
  - {name: h, type: float32, shape: [1, 8]}
  - {name: y, type: float32, shape: [1, 8]}
)",
      R"(  - {op: MaxPool, name: pool, in: [x], out: [a], attrs: {kernel_shape: [3, 3], pads: [1, 1, 1, 1]}}
  - {op: Sigmoid, name: map, in: [a], out: [b]}
  - {op: Concat, name: channels, in: [a, b], out: [c], attrs: {axis: -1}}
  - {op: Concat, name: rows, in: [c, c], out: [d], attrs: {axis: 1}}
  - {op: Pad, name: pad, in: [d], out: [e], attrs: {pads: [0, 0, 4, 0, 0, 0, 4, 0], mode: constant}}
  - {op: MaxPool, name: again, in: [e], out: [f], attrs: {kernel_shape: [3, 3], pads: [1, 1, 1, 1]}}
  - {op: GlobalAveragePool, name: mean, in: [f], out: [g]}
  - {op: Reshape, name: flat, in: [g], out: [h], attrs: {shape: [1, 8]}}
  - {op: Softmax, name: end, in: [h], out: [y], attrs: {axis: 1}}
)"));
  const OrderView& view = subject.drafter.view();
  CHECK(isTileable(view, 0, 3));
  CHECK_FALSE(isTileable(view, 3, 4)); // joins rows
  CHECK(isTileable(view, 4, 6));
  CHECK(isTileable(view, 6, 7));
  CHECK_FALSE(isTileable(view, 5, 7)); // two spatial ops
  CHECK_FALSE(isTileable(view, 7, 8));
  CHECK_FALSE(isTileable(view, 8, 9));
  // a has a reader in the second stage and one in the third.
  CHECK_FALSE(isChainLink(view, 0, 1, 2));
  CHECK(isChainLink(view, 0, 1, 3));
  CHECK_FALSE(isChainLink(view, 6, 7, 8)); // a vector between the two
}

TEST_CASE("specification: remarks state the figures of tiles, chains and cuts") {
  const RemarkCollector remarks("planner:(tile-height|chain-height|cut-again)");
  const auto first = [&](const std::string& text, uint64_t fast) {
    const Graph graph = parseGraph(text.c_str());
    PlanDrafts drafts(graph);
    const Expected<Plan> plan = planGraph(graph, asSpecified(fast), drafts);
    REQUIRE(bool(plan));
    remarkOnPlan(graph, asSpecified(fast), drafts, &*plan);
    REQUIRE_FALSE(remarks.all().empty());
    const Remark& remark = remarks.all().front();
    return strCat(remark.name, " ", remark.op, ": ", remark.reason);
  };
  CHECK(
      first(convolution(3, 1), 16384) ==
      "tile-height conv: receptive field 3, halo 2, peak 65536 bytes at 32 rows: the formula gives "
      "tiles of 6 rows; 6 tiles of up to 6 rows have a peak of about 16384 bytes and load 10240 "
      "bytes twice");
  CHECK(first(TwoConvolutions, 65536) ==
        "chain-height c1: it begins a chain of 2 operators in 11 tiles of up to 6 rows, which take "
        "65024 bytes together");
  CHECK(first(Skips, 1300) ==
        "cut-again f4: the stage before it would have a specified peak of 1200 bytes with it, 1300 "
        "are available, but operands and results do not fit together");
}

TEST_CASE("specification: a dense layer that does not fit uses slow memory") {
  const std::string dense =
      module(R"(  - {name: x, type: float32, shape: [1, 1000]}
  - {name: w, type: float32, shape: [10, 1000], const: true}
  - {name: y, type: float32, shape: [1, 10]}
)",
             R"(  - {op: Gemm, name: fc, in: [x, w], out: [y], attrs: {transB: 1}}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
)");
  const Graph graph = parseGraph(dense.c_str());
  CHECK_FALSE(hasOverflow(graph, checkedPlan(graph, asSpecified(4040))));
  CHECK(hasOverflow(graph, checkedPlan(graph, asSpecified(2000))));
}

TEST_CASE("specification: maps fit every budget from the largest op up, in tiles and chains") {
  const Graph graph = parseGraph(
      module(
          R"(  - {name: x, type: float32, shape: [2, 24, 8, 4]}
  - {name: w, type: float32, shape: [8, 4, 3, 3], const: true}
  - {name: a, type: float32, shape: [2, 24, 8, 8]}
  - {name: b, type: float32, shape: [2, 12, 4, 8]}
  - {name: c, type: float32, shape: [2, 12, 4, 8]}
  - {name: d, type: float32, shape: [2, 14, 4, 8]}
  - {name: e, type: float32, shape: [2, 28, 8, 8]}
  - {name: f, type: float32, shape: [2, 28, 8, 8]}
  - {name: g, type: float32, shape: [2, 28, 8, 8]}
  - {name: h, type: float32, shape: [2, 28, 8, 16]}
  - {name: y, type: float32, shape: [2, 1, 1, 16]}
)",
          R"(  - {op: Conv, name: conv, in: [x, w], out: [a], attrs: {kernel_shape: [3, 3], pads: [1, 1, 1, 1]}}
  - {op: MaxPool, name: half, in: [a], out: [b], attrs: {kernel_shape: [2, 2], strides: [2, 2]}}
  - {op: Sigmoid, name: gate, in: [b], out: [c]}
  - {op: Pad, name: pad, in: [c], out: [d], attrs: {pads: [0, 1, 0, 0, 0, 1, 0, 0], mode: constant}}
  - {op: Resize, name: grow, in: [d], out: [e], attrs: {scales: [1.0, 2.0, 2.0, 1.0], mode: nearest, coordinate_transformation_mode: asymmetric, nearest_mode: floor}}
  - {op: AveragePool, name: blur, in: [e], out: [f], attrs: {kernel_shape: [5, 5], pads: [2, 2, 2, 2], count_include_pad: 1}}
  - {op: Add, name: join, in: [f, e], out: [g]}
  - {op: Concat, name: both, in: [g, f], out: [h], attrs: {axis: 3}}
  - {op: GlobalAveragePool, name: mean, in: [h], out: [y]}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
)")
          .c_str());
  unsigned tiles = 0;
  unsigned chains = 0;
  for (const IoMode io : {IoMode::Slow, IoMode::Caller}) {
    PlanOptions options = asSpecified(1);
    options.io = io;
    const Expected<BudgetNeeds> needs = budgetNeeds(graph, options);
    REQUIRE(bool(needs));
    options.budget.fast = needs->smallest;
    const Plan smallest = checkedPlan(graph, options);
    for (uint64_t fast = needs->smallest; fast < needs->oneStage + 1000; fast += 997) {
      CAPTURE(fast);
      options.budget.fast = fast;
      for (const Stage& stage : checkedPlan(graph, options).stages)
        if (stage.tiled() != nullptr)
          ++(stage.ops.size() > 1 ? chains : tiles);
    }
    CHECK_FALSE(hasOverflow(graph, smallest));
    options.budget.fast = needs->smallest - 1;
    CHECK(hasOverflow(graph, checkedPlan(graph, options)));
  }
  CHECK(tiles > 0);
  CHECK(chains > 0);
}

TEST_CASE("specification: every random graph fits every budget from its largest op up") {
  unsigned staged = 0;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    for (const IoMode io : {IoMode::Slow, IoMode::Caller}) {
      Graph graph = test::randomGraph(seed, 24);
      insertPortCopies(graph);
      PlanOptions options = asSpecified(1);
      options.io = io;
      const Expected<BudgetNeeds> needs = budgetNeeds(graph, options);
      REQUIRE(bool(needs));
      options.budget.fast = std::max<uint64_t>(needs->smallest, 1);
      for (int step = 0; step < 3; ++step) {
        staged += checkedPlan(graph, options).stages.size() > 1 ? 1 : 0;
        options.budget.fast += options.budget.fast / 3;
      }
    }
  }
  CHECK(staged > 50);
}
