// The search over cuts: streamed stages, residents in fast memory, and plans without slow memory.
#include "PassTesting.h"
#include "RandomGraphs.h"
#include "tigris/Check/PlanChecker.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/PortCopies.h"
#include "tigris/Plan/Search/ResidentLayout.h"
#include "tigris/Support/StringUtils.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// 256 -> 256 -> 64 -> 64 -> 64 bytes.
const char* const Narrowing = R"(form: normalized
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

/// This number of poolings, three rows high, over 64 rows of 4 bytes per column.
std::string poolings(int count, int columns = 8) {
  std::string tensors;
  std::string ops;
  const auto name = [&](int k) { return k == count ? std::string("y") : strCat("t", k); };
  for (int k = 0; k <= count; ++k)
    tensors += strCat("  - {name: ", name(k), ", type: int8, shape: [1, 64, ", columns,
                      ", 4], quant: {scale: 1.0}}\n");
  for (int k = 0; k < count; ++k)
    ops += strCat("  - {op: MaxPool, name: p", k, ", in: [", name(k), "], out: [", name(k + 1),
                  "], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}\n");
  return strCat("form: normalized\nlayout: channels-last\ninputs: [{name: t0}]\noutputs: [{name: "
                "y}]\ntensors:\n",
                tensors, "ops:\n", ops);
}

/// The given order of a graph, with residents.
struct GivenOrder {
  explicit GivenOrder(const Graph& graph)
      : aliases(graph, graph.order()), view(graph, graph.order(), aliases, IoMode::Slow, 2) {}

  AliasSets aliases;
  OrderView view;
};

Plan planned(const Graph& graph, Strategy planner, uint64_t fast, std::optional<uint64_t> slow) {
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

StageDraft stageWith(std::vector<TensorId> residents, uint64_t height) {
  StageDraft stage;
  stage.residents = std::move(residents);
  stage.height = height;
  return stage;
}

void overlap(StageDraft& stage, const Overlap& overlap) {
  stage.execution = StreamedDraft{{}, {}, overlap};
}

} // namespace

TEST_CASE("search: the wide part streams, and its result stays for what follows") {
  const Graph graph = parseGraph(Narrowing);
  const Plan plan = planned(graph, Strategy::Optimal, 260, 4096);
  CHECK(plan.stats.trafficBytes() == plan.stats.compulsoryBytes);
  CHECK(plan.stats.recomputeMacs == 0);
  REQUIRE(plan.stages.size() > 1);
  CHECK(plan.stages[0].streamed() != nullptr);
  CHECK(plan.slow.size() == 2); // the model's input and output, nothing else
  CHECK(planned(graph, Strategy::Greedy, 260, 4096).stats.trafficBytes() >
        plan.stats.compulsoryBytes);
}

TEST_CASE("search: what stays needs no slow memory") {
  const Graph graph = parseGraph(Narrowing);
  const Plan plan = planned(graph, Strategy::Optimal, 260, {});
  CHECK(plan.io == IoMode::Caller);
  CHECK(plan.slow.empty());
  CHECK(plan.stats.trafficBytes() == 0);
}

TEST_CASE("search: the smallest budget without slow memory works, and less is refused with it") {
  const Graph graph = parseGraph(Narrowing);
  PlanOptions options;
  options.budget.fast = 1;
  const Expected<BudgetNeeds> needs = budgetNeeds(graph, options);
  REQUIRE(bool(needs));
  CHECK(needs->smallest < 260);
  CHECK(needs->oneStage == 320); // wide and half; the interface is the caller's
  planned(graph, Strategy::Optimal, needs->smallest, {});
  options.budget.fast = needs->smallest - 8; // the alignment
  const Expected<Plan> plan = planGraph(graph, options);
  REQUIRE_FALSE(bool(plan));
  CHECK(plan.error().id() == DiagId::OverBudget);
}

TEST_CASE("search: without slow memory a stage may be as long as it takes") {
  const Graph graph = parseGraph(poolings(12));
  // Three rows for each of twelve tensors and their records, although two tensors take 4096 bytes.
  const Plan plan = planned(graph, Strategy::Optimal, 1600, std::nullopt);
  CHECK(plan.stages.size() == 1);
  CHECK(plan.stages[0].streamed() != nullptr);
  CHECK(plan.stats.recomputeMacs == 0);
}

TEST_CASE("search: without slow memory and with nothing computed twice") {
  const Graph graph = parseGraph(poolings(4, 64));
  PlanOptions options;
  options.budget = {uint64_t{1} << 20, {}, {}};
  const Expected<BudgetNeeds> any = budgetNeeds(graph, options);
  options.recompute = 0;
  const Expected<BudgetNeeds> none = budgetNeeds(graph, options);
  REQUIRE(any);
  REQUIRE(none);
  CHECK(any->smallest < none->smallest);
  const auto inStripes = [](const Plan& plan) {
    return std::any_of(plan.stages.begin(), plan.stages.end(), [](const Stage& stage) {
      return stage.streamed() != nullptr && stage.streamed()->stripes > 1;
    });
  };
  CHECK(inStripes(planned(graph, Strategy::Optimal, any->smallest, {})));
  options.budget.fast = none->smallest;
  const Expected<Plan> once = planGraph(graph, options);
  REQUIRE(once);
  CHECK_FALSE(inStripes(*once));
  options.budget.fast = none->smallest - 8;
  const Expected<Plan> less = planGraph(graph, options);
  REQUIRE_FALSE(less);
  CHECK(less.error().id() == DiagId::OverBudget);
  // The least memory, if it is feasible.
  options.recompute.reset();
  options.optimize = Objective::Memory;
  options.budget.fast = uint64_t{1} << 20;
  CHECK(planGraph(graph, options)->stats.fastPeakBytes <= none->smallest);
  CHECK_FALSE(inStripes(*planGraph(graph, options)));
  options.budget.fast = any->smallest;
  CHECK(inStripes(*planGraph(graph, options)));
  options.recompute = 0;
  options.budget.slow = 65536;
  CHECK(planGraph(graph, options).error().id() == DiagId::Usage);
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
    const Plan greedy = planned(graph, Strategy::Greedy, budget, 1 << 20);
    const Plan searched = planned(graph, Strategy::Optimal, budget, 1 << 20);
    CHECK(searched.stats.trafficBytes() + searched.stats.recomputeMacs / MacsPerSlowByte <=
          greedy.stats.trafficBytes() + greedy.stats.recomputeMacs / MacsPerSlowByte);
  }
}

TEST_CASE("residents: both ends of the arena, with the stages' own memory between them") {
  const Graph graph = parseGraph(Narrowing);
  const GivenOrder order(graph);
  const TensorId wide = *graph.findTensor("wide");
  const TensorId half = *graph.findTensor("half");
  const TensorId next = *graph.findTensor("next");
  // 256, then 256 + 64, then 64 + 64 bytes stay.
  const std::vector<StageDraft> stages = {stageWith({wide}, 100), stageWith({wide, half}, 50),
                                          stageWith({half, next}, 240)};
  const auto layout = layOutResidents(order.view, stages, 370);
  REQUIRE(layout);
  CHECK(layout->offsets.at(wide) == 0);
  CHECK(layout->offsets.at(half) == 370 - 64);
  CHECK(layout->bases[1] == 256);
  CHECK(layout->offsets.at(next) == 0); // where wide was
  CHECK(layout->bases[2] == 64);
  CHECK_FALSE(layOutResidents(order.view, stages, 366));
}

TEST_CASE("residents: what a stage makes lies over what it reads, as far below as it must") {
  const Graph graph = parseGraph(Narrowing);
  const GivenOrder order(graph);
  const TensorId wide = *graph.findTensor("wide");
  const TensorId half = *graph.findTensor("half");
  std::vector<StageDraft> stages = {stageWith({wide}, 10), stageWith({wide, half}, 10),
                                    stageWith({half}, 200)};
  CHECK_FALSE(layOutResidents(order.view, stages, 280));
  overlap(stages[1], {wide, half, 0});
  auto layout = layOutResidents(order.view, stages, 266);
  REQUIRE(layout);
  CHECK(layout->offsets.at(half) == layout->offsets.at(wide));
  CHECK_FALSE(layOutResidents(order.view, stages, 264));
  overlap(stages[1], {wide, half, 12});
  CHECK_FALSE(layOutResidents(order.view, stages, 276));
  layout = layOutResidents(order.view, stages, 278);
  REQUIRE(layout);
  CHECK(layout->offsets.at(half) + 12 == layout->offsets.at(wide));
}

TEST_CASE("residents: a tensor that moves down the arena frees space first below, then above") {
  const Graph graph = parseGraph(poolings(4, 1).c_str());
  const GivenOrder order(graph);
  const TensorId first = *graph.findTensor("t1");
  const TensorId second = *graph.findTensor("t2");
  const TensorId third = *graph.findTensor("t3");
  std::vector<StageDraft> stages = {stageWith({first}, 20), stageWith({first, second}, 20),
                                    stageWith({second, third}, 20), stageWith({third}, 20)};
  overlap(stages[1], {first, second, 20});
  overlap(stages[2], {second, third, 20});
  const auto layout = layOutResidents(order.view, stages, 256 + 40);
  REQUIRE(layout);
  CHECK(layout->offsets.at(first) == 40);
  CHECK(layout->offsets.at(second) == 20);
  CHECK(layout->offsets.at(third) == 0);
  CHECK(layout->bases[1] == 0);
  CHECK(layout->bases[2] == 20 + 256);
  CHECK(layout->capacities[2] == 20);
  CHECK_FALSE(layOutResidents(order.view, stages, 256 + 38));
}

TEST_CASE("residents: a layout comes down to what the fullest stage needs") {
  const Graph graph = parseGraph(Narrowing);
  const GivenOrder order(graph);
  const TensorId wide = *graph.findTensor("wide");
  const TensorId half = *graph.findTensor("half");
  const TensorId next = *graph.findTensor("next");
  const auto lowered = [&](const std::vector<StageDraft>& stages, uint64_t budget) {
    const auto layout = layOutResidents(order.view, stages, budget);
    REQUIRE(layout);
    CHECK(heightOf(graph, stages, *layout) > budget - 2);
    return lowerResidents(order.view, stages, *layout);
  };
  std::vector<StageDraft> stages = {stageWith({wide}, 100), stageWith({wide, half}, 50),
                                    stageWith({half, next}, 240)};
  const ResidentLayout apart = lowered(stages, 1001);
  CHECK(heightOf(graph, stages, apart) == 256 + 64 + 50);
  for (size_t i = 0; i < stages.size(); ++i)
    CHECK(stages[i].height <= apart.capacities[i]);
  // The same again, where one tensor reuses the bytes of another.
  overlap(stages[1], {wide, half, 12});
  stages[2].height = 100;
  const ResidentLayout over = lowerResidents(order.view, stages, apart);
  CHECK(heightOf(graph, stages, over) == 256 + 100);
  CHECK(over.offsets.at(half) + 12 <= over.offsets.at(wide) + 256);
  // A tensor at the lowest possible offset is not moved.
  const ResidentLayout again = lowerResidents(order.view, stages, over);
  CHECK(again.offsets == over.offsets);
  CHECK(again.bases == over.bases);
}

TEST_CASE(
    "search: the fast peak is what the plan needs, and with no more it can be planned again") {
  unsigned below = 0;
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Graph graph = test::randomGraph(seed, 4 + seed % 24);
    insertPortCopies(graph);
    PlanOptions options;
    options.budget = {1 << 20, 1 << 20, {}};
    const Expected<BudgetNeeds> needs = budgetNeeds(graph, options);
    REQUIRE(bool(needs));
    for (const auto slow : {std::optional<uint64_t>(1 << 20), std::optional<uint64_t>()})
      for (uint64_t part = 1; part <= 3; ++part) {
        const uint64_t budget = needs->smallest + (needs->oneStage - needs->smallest) * part / 3;
        options.budget = {std::max<uint64_t>(budget, 1), slow, {}};
        if (!planGraph(graph, options)) // more memory may be needed without slow memory
          continue;
        const Plan plan = planned(graph, Strategy::Optimal, options.budget.fast, slow);
        const uint64_t peak = plan.stats.fastPeakBytes;
        below += peak < options.budget.fast ? 1 : 0;
        CAPTURE(budget);
        CAPTURE(peak);
        const Plan again = planned(graph, Strategy::Optimal, std::max<uint64_t>(peak, 1), slow);
        CHECK(again.stats.trafficBytes() <= plan.stats.trafficBytes());
      }
  }
  CHECK(below > 100);
}

TEST_CASE("search: a streamed stage writes over the rows it has read") {
  // Deep enough that the rolling buffers of all ops take more than a whole map.
  std::string tensors = "tensors:\n";
  std::string ops = "ops:\n";
  constexpr int Depth = 20;
  for (int i = 0; i <= Depth; ++i)
    tensors +=
        strCat("  - {name: t", i, ", type: int8, shape: [1, 24, 8, 4], quant: {scale: 1.0}}\n");
  for (int i = 0; i < Depth; ++i)
    ops += strCat("  - {op: MaxPool, name: op", i, ", in: [t", i, "], out: [t", i + 1,
                  "], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}\n");
  const std::string text = strCat("form: normalized\nlayout: channels-last\ninputs: [{name: t0}]\n"
                                  "outputs: [{name: t",
                                  Depth, "}]\n", tensors, ops);
  const Graph graph = parseGraph(text.c_str());
  PlanOptions options;
  options.budget.fast = 1;
  const Expected<BudgetNeeds> needs = budgetNeeds(graph, options);
  REQUIRE(bool(needs));
  Graph checked = graph;
  applyPlan(checked, planned(graph, Strategy::Optimal, needs->smallest, {}));
  Plan plan = *checked.plan();
  const auto overlapping = [&](const Stage& stage) {
    if (stage.streamed() == nullptr || stage.streamed()->residents.size() != 2)
      return false;
    const Placement& from = stage.streamed()->residents[0];
    const Placement& to = stage.streamed()->residents[1];
    return to.offset <= from.offset && to.offset + graph.tensor(to.tensor).bytes() > from.offset;
  };
  const auto stage = std::find_if(plan.stages.begin(), plan.stages.end(), overlapping);
  REQUIRE(stage != plan.stages.end());
  CHECK(needs->smallest < 2 * 24 * 32);
  // A result at a higher offset overwrites rows that are still to be read: the checker finds the
  // bytes.
  Plan broken = plan;
  Stage& moved = broken.stages[static_cast<size_t>(stage - plan.stages.begin())];
  auto& stream = std::get<StreamedStage>(moved.execution);
  stream.residents[1].offset += 64; // two rows; the working memory of the stage goes on top
  const uint64_t top = 8 * 24 * 32;
  uint64_t state = top;
  for (StreamBuffer& buffer : stream.buffers)
    if (!buffer.inPlace) {
      buffer.offset = state;
      state += 8 * 32;
    } else if (buffer.tensor == stream.residents[1].tensor) {
      buffer.offset += 64;
    }
  stream.bookkeeping = state;
  moved.peak = state + stream.bookkeepingBytes();
  broken.budget.fast = moved.peak;
  const auto messageOf = [&](const Plan& wrong) {
    checked.setPlan(wrong);
    const Status status = checkPlan(checked);
    REQUIRE_FALSE(bool(status));
    return status.error().message();
  };
  const std::string message = messageOf(broken);
  CHECK_MESSAGE((message.find("which holds tensor") != std::string::npos ||
                 message.find("writes over its operand") != std::string::npos),
                message);
  // Rows in place are those of the whole tensor, without stripes.
  const size_t index = static_cast<size_t>(stage - plan.stages.begin());
  REQUIRE(plan.stages[index].streamed()->buffers[0].inPlace);
  broken = plan;
  const auto firstBuffer = [&]() -> StreamBuffer& {
    return std::get<StreamedStage>(broken.stages[index].execution).buffers[0];
  };
  StreamBuffer& shifted = firstBuffer();
  shifted.offset += 8;
  broken.stages[index].peak = std::max(broken.stages[index].peak, shifted.offset + shifted.bytes);
  broken.budget.fast = std::max(broken.budget.fast, broken.stages[index].peak);
  CHECK(messageOf(broken).find("where it is not resident") != std::string::npos);
  broken = plan;
  --firstBuffer().bytes;
  CHECK(messageOf(broken).find("is in place with") != std::string::npos);
}
