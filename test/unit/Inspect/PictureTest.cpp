// Pictures of a plan: modules and files agree, every byte is explained, and texts are escaped.
#include "tigris/Inspect/PlanPicture.h"

#include "RandomGraphs.h"
#include "tigris/Emit/Emitter.h"
#include "tigris/Inspect/Dump.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/PortCopies.h"

#include <doctest/doctest.h>
#include <algorithm>
#include <tuple>

using namespace tigris;

namespace {

/// x -> Relu -> Sigmoid -> ... -> y: `ops` operators on [1, 16, 16, 4] floats, 4 KiB each.
/// `windows`: MaxPool instead of Relu.
Graph planned(size_t ops, uint64_t fast, std::optional<uint64_t> slow, IoMode io,
              const std::string& inputName = "x", Strategy planner = Strategy::Optimal,
              bool windows = false) {
  Graph graph;
  graph.setModelName("tower");
  graph.setOpset(17);
  graph.setLayout(Layout::ChannelsLast);
  const auto tensor = [&](const std::string& name) {
    Tensor result;
    result.name = name;
    result.type = DType::Float32;
    result.shape = Shape{1, 16, 16, 4};
    return graph.addTensor(std::move(result));
  };
  TensorId from = tensor(inputName);
  graph.addInput({inputName, from, DType::Float32, Shape{1, 16, 16, 4}, {}});
  for (size_t i = 0; i < ops; ++i) {
    Op op;
    op.kind = i % 2 != 0 ? OpKind::Sigmoid : windows ? OpKind::MaxPool : OpKind::Relu;
    if (op.kind == OpKind::MaxPool) {
      op.attrs.set("kernel_shape", std::vector<int64_t>{3, 3});
      op.attrs.set("pads", std::vector<int64_t>{1, 1, 1, 1});
    }
    op.name = strCat("op", i);
    op.inputs = {from};
    from = tensor(i + 1 == ops ? "y" : strCat("t", i));
    op.outputs = {from};
    graph.addOp(std::move(op));
  }
  graph.addOutput({"y", from, DType::Float32, Shape{1, 16, 16, 4}, {}});
  graph.setForm(GraphForm::Normalized);
  PlanOptions options;
  options.budget.fast = fast;
  options.budget.slow = slow;
  options.io = io;
  options.planner = planner;
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE(plan);
  applyPlan(graph, std::move(*plan));
  return graph;
}

PlanFile emitted(const Graph& graph) {
  const Expected<std::string> bytes = emitPlan(graph);
  REQUIRE(bytes);
  Expected<PlanFile> file = PlanFile::open(*bytes, "tower.tgrs");
  REQUIRE(file);
  return std::move(*file);
}

using BlockKey = std::tuple<std::string, uint64_t, uint64_t, size_t, size_t, std::string>;
std::vector<BlockKey> keys(const std::vector<PictureBlock>& blocks) {
  std::vector<BlockKey> result;
  for (const PictureBlock& block : blocks)
    result.emplace_back(block.name, block.offset, block.bytes, block.first, block.last, block.role);
  std::sort(result.begin(), result.end());
  return result;
}

} // namespace

TEST_CASE("a stream and its plan file give the same memory map") {
  struct Case {
    uint64_t fast;
    std::optional<uint64_t> slow;
    IoMode io;
    const char* mode;
    Strategy planner = Strategy::Optimal;
    bool windows = false;
  };
  for (const Case& test :
       {Case{65536, std::nullopt, IoMode::Caller, "whole"},
        Case{65536, std::nullopt, IoMode::Arena, "whole"},
        Case{7000, std::nullopt, IoMode::Arena, "streamed", Strategy::Optimal, true},
        Case{65536, uint64_t{1} << 20, IoMode::Slow, "whole"},
        Case{3000, uint64_t{1} << 20, IoMode::Slow, "streamed"},
        Case{3000, uint64_t{1} << 20, IoMode::Caller, "streamed"},
        Case{3000, uint64_t{1} << 20, IoMode::Slow, "tiled", Strategy::Greedy}}) {
    CAPTURE(test.fast);
    const Graph graph = planned(5, test.fast, test.slow, test.io, "x", test.planner, test.windows);
    const Expected<PlanPicture> fromStream = pictureOf(graph);
    REQUIRE(fromStream);
    const PlanPicture fromFile = pictureOf(emitted(graph));
    CHECK(keys(fromStream->fast) == keys(fromFile.fast));
    CHECK(keys(fromStream->slow) == keys(fromFile.slow));
    REQUIRE(fromStream->stages.size() == fromFile.stages.size());
    CHECK(fromStream->stages[0].mode == test.mode);
    REQUIRE(fromStream->steps.size() == 5);
    uint64_t top = 0;
    for (size_t i = 0; i < fromStream->steps.size(); ++i) {
      CHECK(fromStream->steps[i].live == fromFile.steps[i].live);
      CHECK(fromStream->steps[i].live <= fromStream->steps[i].top);
      top = std::max(top, fromStream->steps[i].top);
    }
    CHECK(top == graph.plan()->stats.fastPeakBytes);
  }
}

TEST_CASE("the peak names the tensors that cause it") {
  const Graph graph = planned(3, 65536, std::nullopt, IoMode::Arena);
  const Expected<PlanPicture> picture = pictureOf(graph);
  REQUIRE(picture);
  // All tensors are at one address. Only the first of them adds to the peak.
  CHECK(picture->fast.size() == 4);
  CHECK(picture->steps[picture->peakStep].top == 4096);
  REQUIRE(picture->peakParts.size() == 1);
  CHECK(picture->fast[picture->peakParts[0].block].bytes == 4096);
  CHECK(picture->peakParts[0].bytes == 4096);
  CHECK(picture->peakGaps() == 0);
}

TEST_CASE("the parts of the peak and the gaps between them add up to it") {
  size_t resident = 0;
  for (uint32_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    Graph graph = test::randomGraph(seed, 4 + seed % 24);
    insertPortCopies(graph);
    PlanOptions options;
    options.budget = {1 << 20, 1 << 20, {}};
    const Expected<BudgetNeeds> needs = budgetNeeds(graph, options);
    REQUIRE(needs);
    for (const uint64_t fast : {needs->smallest, (needs->smallest + needs->oneStage) / 2}) {
      options.budget.fast = std::max<uint64_t>(fast, 1);
      Expected<Plan> plan = planGraph(graph, options);
      REQUIRE(plan);
      Graph with = graph;
      applyPlan(with, std::move(*plan));
      const PlanPicture picture = *pictureOf(with);
      const PlanPicture fromFile = pictureOf(emitted(with));
      for (const PlanPicture* shown : {&picture, &fromFile}) {
        uint64_t sum = shown->peakGaps();
        for (const PeakPart& part : shown->peakParts) {
          CHECK(part.bytes > 0);
          sum += part.bytes;
        }
        CHECK(sum == with.plan()->stats.fastPeakBytes);
      }
      resident += std::count_if(picture.fast.begin(), picture.fast.end(),
                                [](const PictureBlock& block) { return block.isThere; });
    }
  }
  CHECK(resident > 0);
}

TEST_CASE("what stays in fast memory is alive in the stages that do not touch it") {
  Graph graph = planned(3, 65536, std::nullopt, IoMode::Caller); // t0, t1, y
  const auto stage = [&](size_t op, std::vector<Placement> fast) {
    Stage result;
    result.ops = {graph.order()[op]};
    result.execution = WholeStage{std::move(fast)};
    return result;
  };
  const TensorId kept = *graph.findTensor("t0");
  Plan plan = *graph.plan();
  plan.stages = {stage(0, {{kept, 0}}), stage(1, {{*graph.findTensor("t1"), 4096}}),
                 stage(2, {{kept, 0}})};
  graph.setInputs(graph.order()[1], {graph.inputs()[0].tensor});
  graph.setInputs(graph.order()[2], {kept});
  graph.setPlan(std::move(plan));
  const PlanPicture picture = *pictureOf(graph);
  CHECK(picture.steps[1].live == 8192);
  CHECK(picture.peakStep == 1);
  REQUIRE(picture.peakParts.size() == 2);
  CHECK(picture.fast[picture.peakParts[0].block].name == "t0");
}

TEST_CASE("a graph without a plan has no picture") {
  const Expected<PlanPicture> picture = pictureOf(Graph());
  REQUIRE_FALSE(picture);
  CHECK(picture.error().id() == DiagId::BadPlan);
}

TEST_CASE("names cannot end the elements they stand in") {
  const Graph graph = planned(1, 65536, std::nullopt, IoMode::Arena, "</script><b>\"&'</title>");
  const Expected<PlanPicture> picture = pictureOf(graph);
  REQUIRE(picture);
  const std::string page = htmlOf(*picture);
  CHECK(page.find("</script><b>") == std::string::npos);
  CHECK(page.find("\\u003c/script>") != std::string::npos);
  const std::string svg = svgOf(*picture);
  CHECK(svg.find("&lt;/script&gt;") != std::string::npos);
  CHECK(svg.find("<b>") == std::string::npos);
}

TEST_CASE("the hex dump shows every byte once, in order") {
  const Expected<std::string> bytes = emitPlan(planned(5, 3000, uint64_t{1} << 20, IoMode::Slow));
  REQUIRE(bytes);
  const std::string dump = hexDump(*bytes);
  std::string shown;
  for (const std::string_view line : split(dump, '\n')) {
    if (line.empty() || line[0] == ';')
      continue;
    CHECK(std::stoul(std::string(line.substr(0, 8)), nullptr, 16) == shown.size());
    for (size_t at = 10; at + 1 < line.size() && line[at] != ' '; at += 3)
      shown += static_cast<char>(std::stoul(std::string(line.substr(at, 2)), nullptr, 16));
  }
  CHECK(shown == *bytes);
}

TEST_CASE("the hex dump survives every truncation and every damaged byte of the head") {
  const Expected<std::string> bytes = emitPlan(planned(2, 65536, std::nullopt, IoMode::Caller));
  REQUIRE(bytes);
  for (size_t size = 4; size < bytes->size(); size += 3)
    CHECK_FALSE(hexDump(bytes->substr(0, size)).empty());
  for (size_t at = 4; at < 0x120; ++at)
    for (const unsigned char value : {0x00, 0x7F, 0xFF}) {
      std::string damaged = *bytes;
      damaged[at] = static_cast<char>(value);
      CHECK_FALSE(hexDump(damaged).empty());
    }
}
