// Stages: cuts, spills and reloads; every budget from the largest op up is feasible.
#include "tigris/Plan/Search/GreedySearch.h"
#include "PassTesting.h"
#include "RandomGraphs.h"
#include "tigris/Check/PlanChecker.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/PortCopies.h"
#include "tigris/Plan/Search/CutSearch.h"
#include "tigris/Plan/Search/SpillLayout.h"
#include "tigris/Plan/Stage/StageNeed.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// Every op is small; the skip connection x -> z keeps 400 bytes live across the wide middle.
const char* const Skip = R"(form: normalized
layout: channels-last
inputs: [{name: i}]
outputs: [{name: y}]
tensors:
  - {name: i, type: int8, shape: [1, 100], quant: {scale: 1.0}}
  - {name: x, type: int8, shape: [1, 400], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [1, 400], quant: {scale: 1.0}}
  - {name: b, type: int8, shape: [1, 400], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 800], quant: {scale: 1.0}}
ops:
  - {op: Concat, name: grow, in: [i, i, i, i], out: [x], attrs: {axis: 1}}
  - {op: Relu, name: one, in: [x], out: [a]}
  - {op: Relu, name: two, in: [a], out: [b]}
  - {op: Concat, name: join, in: [x, b], out: [y], attrs: {axis: 1}}
)";

PlanOptions memoryOf(uint64_t fast, uint64_t slow = 1 << 20) {
  PlanOptions options;
  options.budget = {fast, slow, std::nullopt};
  return options;
}

} // namespace

TEST_CASE("partition: cuts where the next op would not fit, and spills what crosses") {
  Graph graph = parseGraph(Skip);
  // The last op needs two operands and a result: 1600 bytes for every cut.
  const AliasSets aliases(graph, graph.order());
  StageDrafter drafter(graph, graph.order(), aliases, IoMode::Slow, 8);
  CHECK(drafter.whole(3, 4).height == 1600);
  // It only moves bytes, and can do so in slow memory. An op on single channels needs two bytes,
  // each at a multiple of 8, and the records of two boxes.
  const StageNeed need = largestStageNeed(drafter);
  CHECK(graph.op(need.op).name == "one");
  CHECK(need.bytes == 2 * 32 + 8 + 1);

  const std::vector<StageDraft> stages = *searchGreedily(drafter, 1600);
  REQUIRE(stages.size() == 1);

  // With one more model output, x, a and b are all needed at the end of the first stage.
  Graph wide = parseGraph(Skip);
  wide.addOutput({"a", *wide.findTensor("a"), DType::Int8, Shape{1, 400}, {}});
  const AliasSets wideAliases(wide, wide.order());
  StageDrafter wideDrafter(wide, wide.order(), wideAliases, IoMode::Slow, 8);
  const std::vector<StageDraft> cut = *searchGreedily(wideDrafter, 1600);
  REQUIRE(cut.size() == 2);
  CHECK(cut[0].ops.size() == 3);
  const auto names = [&](const std::vector<TensorId>& tensors) {
    std::string text;
    for (const TensorId id : tensors)
      text += wide.tensor(id).name + " ";
    return text;
  };
  CHECK(names(cut[0].loads) == "i ");
  CHECK(names(cut[0].spills) == "x a b ");
  CHECK(names(cut[1].loads) == "x b ");
  CHECK(names(cut[1].spills) == "y ");

  // Cuts that cost as much as the limit are of no use.
  const CutCost cost = totalCost(wideDrafter, cut);
  CHECK_FALSE(searchGreedily(wideDrafter, 1600, cost));
  CHECK(searchGreedily(wideDrafter, 1600, CutCost(cost.first, cost.second + 1)));

  std::vector<Placement> slow = {{*wide.findTensor("a"), 0}, {*wide.findTensor("y"), 400}};
  CHECK(placeSpills(wide, cut, wideAliases, IoMode::Slow, 8, 1300, slow) ==
        1304 + 800); // x and b; a is in its interface buffer
  CHECK(slow.size() == 4);
}

TEST_CASE("planner: over budget without slow memory names what slow memory would allow") {
  Graph graph = parseGraph(Skip);
  graph.addOutput({"a", *graph.findTensor("a"), DType::Int8, Shape{1, 400}, {}});
  PlanOptions options = memoryOf(799); // the outputs alone take 800
  options.budget.slow.reset();
  options.io = IoMode::Arena;
  const Expected<Plan> refused = planGraph(graph, options);
  REQUIRE_FALSE(bool(refused));
  CHECK(refused.error().id() == DiagId::OverBudget);
}

TEST_CASE("planner: every random graph fits every budget from its largest op up, in stages") {
  unsigned staged = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    for (const IoMode io : {IoMode::Slow, IoMode::Caller}) {
      Graph graph = test::randomGraph(seed, 24);
      insertPortCopies(graph);
      const AliasSets aliases(graph, graph.order());
      StageDrafter drafter(graph, graph.order(), aliases, io, 8);
      const uint64_t least = largestStageNeed(drafter).bytes;
      PlanOptions options = memoryOf(std::max<uint64_t>(least, 1));
      options.io = io;
      for (int step = 0; step < 4; ++step) {
        Graph copy = graph;
        const Expected<Plan> plan = planGraph(copy, options);
        REQUIRE_MESSAGE(bool(plan), (plan ? "" : plan.error().message()));
        CHECK(plan->stats.fastPeakBytes <= options.budget.fast);
        staged += plan->stages.size() > 1 ? 1 : 0;
        applyPlan(copy, *plan);
        const Status checked = checkPlan(copy);
        CHECK_MESSAGE(bool(checked), (checked ? "" : checked.error().message()));
        options.budget.fast += options.budget.fast / 3;
      }
    }
  }
  CHECK(staged > 50);
}
