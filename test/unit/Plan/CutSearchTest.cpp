// The choice between cuts with residents in place and with copies, and the placement of chains of
// residents.
#include "tigris/Plan/Search/CutSearch.h"
#include "PassTesting.h"
#include "tigris/Plan/Search/PlanDrafts.h"
#include "tigris/Plan/Search/ResidentChain.h"
#include "tigris/Plan/Search/StageFitting.h"
#include "tigris/Support/StringUtils.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// Poolings three rows high over 24 rows of 32 bytes: 768 bytes per map.
std::string poolingChain(int count) {
  std::string tensors;
  std::string ops;
  for (int k = 0; k <= count; ++k)
    tensors +=
        strCat("  - {name: t", k, ", type: int8, shape: [1, 24, 8, 4], quant: {scale: 1.0}}\n");
  for (int k = 0; k < count; ++k)
    ops += strCat("  - {op: MaxPool, name: p", k, ", in: [t", k, "], out: [t", k + 1,
                  "], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}\n");
  return strCat("form: normalized\nlayout: channels-last\ninputs: [{name: t0}]\noutputs: [{name: ",
                "t", count, "}]\ntensors:\n", tensors, "ops:\n", ops);
}

struct Fixture {
  explicit Fixture(int count)
      : graph(parseGraph(poolingChain(count).c_str())), drafts(graph),
        drafter(drafts.drafter(drafts.orders(IoMode::Caller, 8, true).given(), {})) {}

  SegmentOptions within(uint64_t budget) const {
    SegmentOptions options;
    options.budget = budget;
    options.stay = true;
    return options;
  }

  /// The first cuts with addresses that one of the two ways finds, with nothing left unused for
  /// them.
  std::optional<std::vector<StageDraft>> oneWay(uint64_t budget, bool inPlace) {
    SegmentOptions options = within(budget);
    options.follow = inPlace;
    const StageDrafter oneDrafter = inPlace ? drafter : drafter.onCopies();
    auto stages = searchSegments(oneDrafter, options);
    if (stages && !fitStages(oneDrafter, budget, *stages))
      stages.reset();
    return stages;
  }

  Graph graph;
  PlanDrafts drafts;
  StageDrafter drafter;
};

size_t buffersInPlace(const std::vector<StageDraft>& stages) {
  size_t count = 0;
  for (const StageDraft& stage : stages)
    if (stage.streamed() != nullptr)
      for (const StreamBuffer& buffer : stage.streamed()->stage.buffers)
        count += buffer.inPlace ? 1 : 0;
  return count;
}

size_t residentsOfStreams(const std::vector<StageDraft>& stages) {
  size_t count = 0;
  for (const StageDraft& stage : stages)
    count += stage.streamed() != nullptr ? stage.residents.size() : 0;
  return count;
}

} // namespace

TEST_CASE("cuts: in place or on copies, whichever does better") {
  Fixture fixture(6);
  size_t inPlace = 0;
  size_t copied = 0;
  for (uint64_t budget = 840; budget < 1560; budget += 40) {
    CAPTURE(budget);
    const auto cuts = searchCuts(fixture.graph, fixture.drafter, fixture.within(budget));
    REQUIRE(cuts);
    const auto cost = totalCost(fixture.drafter, cuts->drafts);
    for (const bool way : {true, false})
      if (const auto other = fixture.oneWay(budget, way)) {
        CAPTURE(way);
        CHECK(cost <= totalCost(fixture.drafter, *other));
      }
    if (buffersInPlace(cuts->drafts) > 0)
      ++inPlace;
    else if (residentsOfStreams(cuts->drafts) > 0)
      ++copied;
  }
  CHECK(inPlace > 0);
  CHECK(copied > 0);
}

TEST_CASE("cuts: in place where only that fits") {
  Fixture fixture(20);
  uint64_t budget = 400;
  while (!searchCuts(fixture.graph, fixture.drafter, fixture.within(budget), true))
    budget += 8;
  const auto cuts = searchCuts(fixture.graph, fixture.drafter, fixture.within(budget));
  REQUIRE(cuts);
  CHECK(buffersInPlace(cuts->drafts) > 0);
  CHECK_FALSE(fixture.oneWay(budget, false));
}

TEST_CASE("cuts: a limit leaves out what costs as much, and nothing else") {
  Fixture fixture(6);
  for (uint64_t budget = 840; budget < 1560; budget += 240) {
    CAPTURE(budget);
    SegmentOptions options = fixture.within(budget);
    const auto stages = searchSegments(fixture.drafter, options);
    REQUIRE(stages);
    const CutCost cost = totalCost(fixture.drafter, *stages);
    options.limit = cost;
    CHECK_FALSE(searchSegments(fixture.drafter, options));
    options.limit = {cost.first, cost.second + 1};
    const auto again = searchSegments(fixture.drafter, options);
    REQUIRE(again);
    CHECK(totalCost(fixture.drafter, *again) == cost);
  }
}

TEST_CASE("cuts: whole maps need no second look") {
  Fixture fixture(6);
  const auto cuts = searchCuts(fixture.graph, fixture.drafter, fixture.within(2 * 768));
  REQUIRE(cuts);
  for (const StageDraft& stage : cuts->drafts)
    CHECK(stage.mode() == StageMode::Whole);
}

TEST_CASE("cuts: more memory never costs more, in traffic or in calls") {
  Fixture fixture(6);
  std::pair<uint64_t, uint64_t> least = {UINT64_MAX, UINT64_MAX};
  for (uint64_t budget = 480; budget <= 1600; budget += 80) {
    CAPTURE(budget);
    const auto cuts = searchCuts(fixture.graph, fixture.drafter, fixture.within(budget));
    if (!cuts)
      continue;
    const auto cost = totalCost(fixture.drafter, cuts->drafts);
    CHECK(cost <= least);
    least = std::min(least, cost);
  }
  CHECK(least.second == 6);
}

TEST_CASE("cuts: orders share the streamed stages that they have in common") {
  Fixture fixture(6);
  const std::vector<OpId> order(fixture.drafter.order().begin(), fixture.drafter.order().end());
  const AliasSets aliases(fixture.graph, order);
  const StageDrafter other(fixture.drafter, order, aliases, {});
  CHECK(other.streamCandidate(1, 4) == fixture.drafter.streamCandidate(1, 4));
  CHECK(other.streamCandidate(1, 4) != other.streamCandidate(1, 5));
}

TEST_CASE("cuts: nothing fits, nothing is found") {
  Fixture fixture(6);
  CHECK_FALSE(searchCuts(fixture.graph, fixture.drafter, fixture.within(64)));
}

TEST_CASE("chains: each tensor lower than the one before, the stage below or above") {
  const Graph graph = parseGraph(poolingChain(3).c_str());
  const TensorId first = *graph.findTensor("t1");
  const TensorId second = *graph.findTensor("t2");
  const TensorId third = *graph.findTensor("t3");
  CHECK_FALSE(chainBefore({}, {100, 10, 0})->tensor);
  // The last of 64 bytes, 20 below the one before, and 20 bytes for the stage: 104 in all, at
  // either end.
  ChainLink link = {64 + 40, 20, 64, Overlap{second, third, 20}, 64};
  const auto last = chainBefore({}, link);
  REQUIRE(last);
  CHECK(last->tensor == second);
  CHECK(last->offsets == std::vector<AddressSpan>{{20, 20}, {40, 40}});
  // Of these two only one leaves 20 bytes below for the next tensor and 20 for the stage.
  link.overlap = Overlap{first, second, 20};
  const auto both = chainBefore(*last, link);
  REQUIRE(both);
  CHECK(both->tensor == first);
  CHECK(both->offsets == std::vector<AddressSpan>{{40, 40}});
  // A stage that overlaps nothing needs space next to the tensor.
  const auto beside = chainBefore(*last, {64 + 40, 40, 64});
  REQUIRE(beside);
  CHECK(beside->tensor == second);
  CHECK(beside->offsets == std::vector<AddressSpan>{{40, 40}});
  CHECK_FALSE(chainBefore(*last, {64 + 40, 41, 64}));
}
