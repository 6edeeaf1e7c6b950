// Which stages become one.
#include "tigris/Plan/StageMerge.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

TensorId tensor(uint32_t index) { return TensorId(index); }

Stage wholeStage(uint32_t op, std::vector<Placement> placements) {
  Stage stage;
  stage.ops = {OpId(op)};
  stage.execution = WholeStage{std::move(placements)};
  stage.peak = 100 * (op + 1);
  stage.stats.kernelCalls = 1;
  return stage;
}

/// Tensor 1 goes from the first stage to the second.
Plan twoStages() {
  Plan plan;
  plan.stages.push_back(wholeStage(0, {{tensor(0), 0}, {tensor(1), 64}}));
  plan.stages.push_back(wholeStage(1, {{tensor(1), 64}, {tensor(2), 0}}));
  plan.stages[0].loads = {tensor(0)};
  plan.stages[1].spills = {tensor(2)};
  return plan;
}

} // namespace

TEST_CASE("whole stages between which nothing moves become one") {
  Plan plan = twoStages();
  mergeWholeStages(plan);
  REQUIRE(plan.stages.size() == 1);
  const Stage& stage = plan.stages[0];
  CHECK(stage.ops == std::vector<OpId>{OpId(0), OpId(1)});
  CHECK(stage.loads == std::vector<TensorId>{tensor(0)});
  CHECK(stage.spills == std::vector<TensorId>{tensor(2)});
  CHECK(stage.wholeTensors().size() == 3);
  CHECK(stage.peak == 200);
  CHECK(stage.stats.kernelCalls == 2);
}

TEST_CASE("stages stay apart where something moves") {
  Plan spills = twoStages();
  spills.stages[0].spills = {tensor(1)};
  mergeWholeStages(spills);
  CHECK(spills.stages.size() == 2);
  Plan loads = twoStages();
  loads.stages[1].loads = {tensor(1)};
  mergeWholeStages(loads);
  CHECK(loads.stages.size() == 2);
}

TEST_CASE("stages stay apart where a tensor has two addresses or rows stream") {
  Plan moved = twoStages();
  moved.stages[1].execution = WholeStage{{{tensor(1), 128}}};
  mergeWholeStages(moved);
  CHECK(moved.stages.size() == 2);
  Plan streamed = twoStages();
  streamed.stages[1].execution = StreamedStage();
  mergeWholeStages(streamed);
  CHECK(streamed.stages.size() == 2);
}
