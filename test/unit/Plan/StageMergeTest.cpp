// Which stages become one.
#include "tigris/Plan/StageMerge.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

TensorId tensor(uint32_t index) { return TensorId(index); }

/// Six tensors of 64 bytes.
Graph tensors() {
  Graph graph;
  for (uint32_t i = 0; i < 6; ++i) {
    Tensor added;
    added.name = std::string(1, static_cast<char>('a' + i));
    added.type = DType::Int8;
    added.shape = Shape{1, 64};
    graph.addTensor(std::move(added));
  }
  return graph;
}

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
  plan.slow = {{tensor(0), 0}, {tensor(2), 64}};
  return plan;
}

} // namespace

TEST_CASE("whole stages between which nothing moves become one") {
  Plan plan = twoStages();
  mergeStages(tensors(), plan);
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
  // The second stage loads what the first spills, or has something else at its address.
  Plan spills = twoStages();
  spills.stages[0].spills = {tensor(1)};
  spills.stages[1].loads = {tensor(1)};
  mergeStages(tensors(), spills);
  CHECK(spills.stages.size() == 2);
  Plan loads = twoStages();
  loads.stages[1].execution = WholeStage{{{tensor(3), 0}, {tensor(2), 128}}};
  loads.stages[1].loads = {tensor(3)};
  mergeStages(tensors(), loads);
  CHECK(loads.stages.size() == 2);
}

TEST_CASE("loads may come earlier and spills later where nothing else has their bytes") {
  Plan plan = twoStages();
  plan.stages[0].spills = {tensor(1)};
  plan.stages[1].execution = WholeStage{{{tensor(1), 64}, {tensor(3), 128}, {tensor(2), 0}}};
  plan.stages[1].loads = {tensor(3)};
  plan.slow.push_back({tensor(1), 128});
  plan.slow.push_back({tensor(3), 192});
  mergeStages(tensors(), plan);
  REQUIRE(plan.stages.size() == 1);
  CHECK(plan.stages[0].loads == std::vector<TensorId>{tensor(0), tensor(3)});
  CHECK(plan.stages[0].spills == std::vector<TensorId>{tensor(1), tensor(2)});
}

TEST_CASE("stages stay apart where a tensor has two addresses or rows stream") {
  Plan moved = twoStages();
  moved.stages[1].execution = WholeStage{{{tensor(1), 128}}};
  mergeStages(tensors(), moved);
  CHECK(moved.stages.size() == 2);
  Plan streamed = twoStages();
  streamed.stages[1].execution = StreamedStage();
  mergeStages(tensors(), streamed);
  CHECK(streamed.stages.size() == 2);
}

namespace {

/// An op on tensors in slow memory.
Stage directStage(uint32_t op, TensorId from, TensorId to) {
  Stage stage;
  stage.ops = {OpId(op)};
  stage.loads = {from};
  stage.spills = {to};
  stage.execution = DirectStage();
  return stage;
}

} // namespace

TEST_CASE("direct stages join each other and whole stages that copy nothing between") {
  Plan plan;
  for (uint32_t id = 0; id < 4; ++id)
    plan.slow.push_back({tensor(id), 64 * id});
  plan.stages = {directStage(0, tensor(0), tensor(1)), directStage(1, tensor(1), tensor(2))};
  Plan direct = plan;
  mergeStages(tensors(), direct);
  REQUIRE(direct.stages.size() == 1);
  CHECK(direct.stages[0].mode() == StageMode::Direct);
  CHECK(direct.stages[0].loads == std::vector<TensorId>{tensor(0)});
  CHECK(direct.stages[0].spills == std::vector<TensorId>{tensor(1), tensor(2)});

  // Tensor 3 is spilled at the end, tensor 5 is the caller's. The load of tensor 2 would precede
  // the ops that make it.
  Plan mixed = plan;
  mixed.stages[0].loads.push_back(tensor(5));
  mixed.stages.push_back(wholeStage(2, {{tensor(4), 0}, {tensor(3), 64}}));
  mixed.stages[2].spills = {tensor(3)};
  Plan loading = mixed;
  mergeStages(tensors(), mixed);
  REQUIRE(mixed.stages.size() == 1);
  CHECK(mixed.stages[0].mode() == StageMode::Whole);
  CHECK(mixed.stages[0].loads == std::vector<TensorId>{tensor(0)});
  CHECK(mixed.stages[0].spills == std::vector<TensorId>{tensor(1), tensor(2), tensor(3)});
  loading.stages[2] = wholeStage(2, {{tensor(2), 0}, {tensor(3), 64}});
  loading.stages[2].loads = {tensor(2)};
  mergeStages(tensors(), loading);
  CHECK(loading.stages.size() == 2);

  // The copy of tensor 2 in fast memory is not what the direct stage reads.
  Plan copied;
  copied.slow = plan.slow;
  copied.stages = {wholeStage(0, {{tensor(2), 0}, {tensor(4), 64}}),
                   directStage(1, tensor(2), tensor(3))};
  copied.stages[0].loads = {tensor(2)};
  mergeStages(tensors(), copied);
  CHECK(copied.stages.size() == 2);
}
