// Costs of tiles: the predicted figures equal those of the replay.
#include "tigris/Plan/Stage/TileModel.h"
#include "PassTesting.h"
#include "tigris/Check/TileReplay.h"
#include "tigris/Plan/Stage/StageDraft.h"
#include "tigris/Plan/Stage/TileSearch.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace tigris;

namespace {

/// Pooling with a halo of one row on each side, an addition, and a depthwise convolution.
const char* const TileChain = R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [2, 8, 6, 4], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [2, 8, 6, 4], quant: {scale: 1.0}}
  - {name: b, type: int8, shape: [2, 8, 6, 4], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [2, 4, 3, 4], quant: {scale: 1.0}}
ops:
  - {op: MaxPool, name: pool, in: [x], out: [a], attrs: {kernel_shape: [3, 3], pads: [1, 1, 1, 1]}}
  - {op: Add, name: join, in: [a, x], out: [b]}
  - {op: MaxPool, name: end, in: [b], out: [y], attrs: {kernel_shape: [2, 2], strides: [2, 2]}}
)";

class Subject {
public:
  explicit Subject(const char* text) : graph_(parseGraph(text)), access_(graph_) {}

  /// Ops [begin, end) with their loads and stores.
  std::optional<TileModel> model(size_t begin, size_t end) {
    stage_ = Stage();
    const auto& order = graph_.order();
    for (size_t i = begin; i < end; ++i) {
      stage_.ops.push_back(order[i]);
      const Op& op = graph_.op(order[i]);
      for (const TensorId id : op.inputs)
        if (!isIn(id, stage_.loads) && !isMade(id))
          stage_.loads.push_back(id);
      if (end < order.size() || graph_.isGraphOutput(op.output()))
        stage_.spills.push_back(op.output());
    }
    return TileModel::make(access_, stage_.ops, stage_.loads, stage_.spills);
  }

  /// The replay accepts the stage and counts its costs.
  void check(TileModel& model, const TileCounts& tiles) {
    const auto cost = model.cost(tiles);
    REQUIRE(cost);
    stage_.execution = model.stage(*cost, model.layOut(*cost, 8));
    const auto counts = TileReplay(graph_, stage_).run();
    REQUIRE_MESSAGE(bool(counts), (counts ? "" : counts.error().message()));
    uint64_t loaded = 0;
    uint64_t stored = 0;
    for (const auto& [tensor, bytes] : counts->loaded)
      loaded += bytes;
    for (const auto& [tensor, bytes] : counts->stored)
      stored += bytes;
    CHECK(loaded == cost->loadBytes);
    CHECK(stored == cost->storeBytes);
    CHECK(counts->kernelCalls == cost->kernelCalls);
  }

private:
  static bool isIn(TensorId id, const std::vector<TensorId>& list) {
    return std::find(list.begin(), list.end(), id) != list.end();
  }
  bool isMade(TensorId id) const {
    return graph_.producer(id) && isIn(graph_.producer(id), stage_.ops);
  }
  static bool isIn(OpId id, const std::vector<OpId>& list) {
    return std::find(list.begin(), list.end(), id) != list.end();
  }

  Graph graph_;
  AccessTable access_;
  Stage stage_;
};

} // namespace

TEST_CASE("the cost of a chain is what the replay counts") {
  Subject subject(TileChain);
  auto model = subject.model(0, 3);
  REQUIRE(model);
  CHECK(model->isChain());
  CHECK(model->extent(0) == 2);
  CHECK(model->extent(1) == 4);
  for (int64_t rows = 1; rows <= 4; ++rows)
    subject.check(*model, {2, rows, 1, 1});
  // Rows 0-2, 1-4, 3-6 and 5-7 of x, for each of two images.
  const auto cost = model->cost({2, 4, 1, 1});
  REQUIRE(cost);
  CHECK(cost->loadBytes == 2 * (3 + 4 + 4 + 3) * 24);
  CHECK(cost->storeBytes == 2 * 4 * 12);
  CHECK(cost->kernelCalls == 3 * 8);
  CHECK(model->finest() == TileCounts{2, 4, 1, 1});
}

TEST_CASE("one op may be cut along every axis") {
  Subject subject(TileChain);
  auto model = subject.model(0, 1);
  REQUIRE(model);
  CHECK(model->finest() == TileCounts{2, 8, 6, 4});
  for (const TileCounts& tiles : {TileCounts{1, 1, 1, 1}, TileCounts{2, 8, 6, 4},
                                  TileCounts{1, 3, 2, 4}, TileCounts{2, 5, 6, 3}})
    subject.check(*model, tiles);
}

TEST_CASE("a chain is refused when a reader would find its part in pieces") {
  // The slice needs some columns of rows that the addition needs completely.
  const char* const Columns = R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}, {name: z}]
tensors:
  - {name: x, type: int8, shape: [1, 4, 6, 2], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 4, 3, 2], quant: {scale: 1.0}}
  - {name: z, type: int8, shape: [1, 4, 6, 2], quant: {scale: 1.0}}
ops:
  - {op: Slice, name: cut, in: [x], out: [y], attrs: {starts: [1], ends: [4], axes: [2]}}
  - {op: Add, name: all, in: [x, x], out: [z]}
)";
  Subject subject(Columns);
  CHECK_FALSE(subject.model(0, 2));
  CHECK(subject.model(0, 1));
}

TEST_CASE("results of different heights are cut so that every tile has a part of each") {
  const char* const Heights = R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: a}, {name: y}]
tensors:
  - {name: x, type: int8, shape: [1, 12, 6, 2], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [1, 12, 6, 2], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 3, 6, 2], quant: {scale: 1.0}}
ops:
  - {op: Relu, name: first, in: [x], out: [a]}
  - {op: MaxPool, name: shrink, in: [a], out: [y], attrs: {kernel_shape: [4, 1], strides: [4, 1]}}
)";
  Graph graph = parseGraph(Heights);
  AccessTable access(graph);
  const std::vector<TensorId> loads = {*graph.findTensor("x")};
  const std::vector<TensorId> stores = {*graph.findTensor("a"), *graph.findTensor("y")};
  const auto model = TileModel::make(access, graph.order(), loads, stores);
  REQUIRE(model);
  CHECK(model->extent(1) == 3);
}

TEST_CASE("the search finds cuts between groups of channels") {
  // 27 channels in groups of 3: only 3 and 9 parts are possible.
  const char* const Grouped = R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 1, 1, 9]}
  - {name: w, type: float32, shape: [27, 1, 1, 1], const: true}
  - {name: y, type: float32, shape: [1, 1, 1, 27]}
ops:
  - {op: Conv, name: wide, in: [x, w], out: [y], attrs: {group: 9}}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
)";
  Graph graph = parseGraph(Grouped);
  AccessTable access(graph);
  const std::vector<TensorId> loads = {*graph.findTensor("x")};
  const std::vector<TensorId> stores = {*graph.findTensor("y")};
  auto model = TileModel::make(access, graph.order(), loads, stores);
  REQUIRE(model);
  CHECK(model->finest() == TileCounts{1, 1, 1, 9});
  CHECK(model->legalParts(3, 8) == 3);
  const uint64_t least = 2 * TiledStage::BookkeepingBytes + 8 + 12; // one channel in, three out
  TileSearch search(*model, 8);
  const auto found = search.search(least + 4);
  REQUIRE(found);
  CHECK(found->tiles == TileCounts{1, 1, 1, 9});
  CHECK_FALSE(search.search(least - 8));
}

namespace {

/// A layer in both directions over 7 steps of 3 sequences.
const char* const Layer = R"(form: normalized
layout: channels-last
inputs: [{name: x}, {name: h}, {name: c}]
outputs: [{name: y}, {name: cell}]
tensors:
  - {name: x, type: float32, shape: [7, 3, 4]}
  - {name: h, type: float32, shape: [2, 3, 5]}
  - {name: c, type: float32, shape: [2, 3, 5]}
  - {name: y, type: float32, shape: [7, 2, 3, 5]}
  - {name: cell, type: float32, shape: [2, 3, 5]}
  - {name: w, type: float32, shape: [2, 20, 4], const: true}
  - {name: r, type: float32, shape: [2, 20, 5], const: true}
  - {name: b, type: float32, shape: [2, 40], const: true}
ops:
  - {op: LSTM, name: layer, in: [x, w, r, b, h, c], out: [y, cell],
     attrs: {direction: bidirectional}}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
  - {name: r, fill: {seed: 2, amplitude: 1.0}}
  - {name: b, fill: {seed: 3, amplitude: 1.0}}
)";

Stage stageOf(const Graph& graph) {
  Stage stage;
  stage.ops = graph.order();
  for (const char* name : {"x", "h", "c"})
    stage.loads.push_back(*graph.findTensor(name));
  for (const char* name : {"y", "cell"})
    stage.spills.push_back(*graph.findTensor(name));
  return stage;
}

} // namespace

TEST_CASE("a recurrent layer is cut along steps, directions and batch") {
  Graph graph = parseGraph(Layer);
  AccessTable access(graph);
  Stage stage = stageOf(graph);
  auto model = TileModel::make(access, stage.ops, stage.loads, stage.spills);
  REQUIRE(model);
  CHECK(model->finest() == TileCounts{3, 2, 3, 1});
  CHECK_FALSE(model->cost({2, 1, 1, 1})); // the directions need opposite orders of tiles
  CHECK_FALSE(model->cost({4, 2, 1, 1})); // single steps
  constexpr uint64_t Steps = 7 * 3 * 4 * 4;
  constexpr uint64_t States = 2 * 3 * 5 * 4;
  for (const TileCounts& tiles :
       {TileCounts{1, 1, 1, 1}, TileCounts{1, 2, 1, 1}, TileCounts{3, 2, 1, 1},
        TileCounts{1, 1, 3, 1}, TileCounts{2, 2, 3, 1}}) {
    const auto cost = model->cost(tiles);
    REQUIRE(cost);
    // Each direction reads all steps, and each state is read and written once.
    const uint64_t reads = tiles[0] > 1 || tiles[2] > 1 ? static_cast<uint64_t>(tiles[1]) : 1;
    CHECK(cost->loadBytes == reads * Steps + 2 * States);
    CHECK(cost->storeBytes == 7 * States + States);
    CHECK(cost->recomputeMacs == 0);
    stage.execution = model->stage(*cost, model->layOut(*cost, 8));
    const auto counts = TileReplay(graph, stage).run();
    REQUIRE_MESSAGE(bool(counts), (counts ? "" : counts.error().message()));
    CHECK(counts->loaded.at(stage.loads[0]) == reads * Steps);
    CHECK(counts->stored.at(stage.spills[1]) == States);
    CHECK(counts->kernelCalls == cost->kernelCalls);
    CHECK(counts->recomputeMacs == 0);
  }
}

TEST_CASE("the state between tiles of a recurrent layer must not be overwritten") {
  Graph graph = parseGraph(Layer);
  AccessTable access(graph);
  Stage stage = stageOf(graph);
  auto model = TileModel::make(access, stage.ops, stage.loads, stage.spills);
  const auto cost = model->cost({3, 2, 1, 1});
  REQUIRE(cost);
  TiledStage tiled = model->stage(*cost, model->layOut(*cost, 8));
  const auto offsetOf = [&](const char* name) -> uint64_t& {
    return std::find_if(tiled.buffers.begin(), tiled.buffers.end(),
                        [&](const PartBuffer& b) { return b.tensor == *graph.findTensor(name); })
        ->offset;
  };
  offsetOf("cell") = offsetOf("y");
  stage.execution = tiled;
  CHECK_FALSE(TileReplay(graph, stage).run());
  tiled.tiles = {3, 1, 1, 1};
  stage.execution = tiled;
  CHECK_FALSE(TileReplay(graph, stage).run());
}

TEST_CASE("bounds of one part are at most those of the cut, and many are equal") {
  constexpr uint64_t Align = 8;
  for (const auto& [end, outer] : {std::pair<size_t, int64_t>{1, 1}, {1, 2}, {3, 2}}) {
    Subject subject(TileChain);
    auto model = subject.model(0, end);
    REQUIRE(model);
    const TileCounts whole = {outer, 1, 1, 1};
    const std::optional<uint64_t> any = model->leastBytes(whole, 1, std::nullopt, Align);
    REQUIRE(any);
    size_t equal = 0;
    for (int64_t rows = 1; rows <= model->extent(1); ++rows) {
      const auto cost = model->cost({outer, rows, 1, 1});
      if (!cost)
        continue;
      const uint64_t bound = model->lowerBound(*cost, Align);
      const std::optional<uint64_t> least = model->leastBytes(whole, 1, rows, Align);
      REQUIRE(least);
      CHECK(*any <= bound);
      CHECK(*least <= bound);
      equal += *least == bound ? 1 : 0;
    }
    CHECK(equal >= 2);
    const auto finest = model->cost({outer, model->extent(1), 1, 1});
    CHECK(*any == model->lowerBound(*finest, Align));
  }
}
