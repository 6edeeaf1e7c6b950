// Rematerialization: repeats, the chains that offer them, and which of them a plan uses.
#include "PassTesting.h"
#include "tigris/Analysis/MacCount.h"
#include "tigris/Check/PlanChecker.h"
#include "tigris/IR/Repeats.h"
#include "tigris/IR/Verifier.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/Remat/ChannelSplit.h"
#include "tigris/Plan/Remat/RepeatChain.h"
#include "tigris/Plan/Remat/RepeatSearch.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// An inverted residual with squeeze and excitation. The map `t` is averaged, then multiplied.
const char* const Excitation = R"(form: normalized
layout: channels-last
inputs: [{name: image}]
outputs: [{name: y}]
tensors:
  - {name: image, type: float32, shape: [1, 16, 16, 4]}
  - {name: w0, type: float32, shape: [4, 4, 3, 3], const: true}
  - {name: w1, type: float32, shape: [32, 4, 1, 1], const: true}
  - {name: w2, type: float32, shape: [32, 1, 3, 3], const: true}
  - {name: w3, type: float32, shape: [4, 32, 1, 1], const: true}
  - {name: x, type: float32, shape: [1, 16, 16, 4]}
  - {name: e, type: float32, shape: [1, 16, 16, 32]}
  - {name: t, type: float32, shape: [1, 16, 16, 32]}
  - {name: mean, type: float32, shape: [1, 1, 1, 32]}
  - {name: gate, type: float32, shape: [1, 1, 1, 32]}
  - {name: m, type: float32, shape: [1, 16, 16, 32]}
  - {name: p, type: float32, shape: [1, 16, 16, 4]}
  - {name: y, type: float32, shape: [1, 16, 16, 4]}
ops:
  - {op: Conv, name: stem, in: [image, w0], out: [x], attrs: {pads: [1, 1, 1, 1]}}
  - {op: Conv, name: expand, in: [x, w1], out: [e]}
  - {op: DepthwiseConv, name: depthwise, in: [e, w2], out: [t], attrs: {pads: [1, 1, 1, 1], group: 32}}
  - {op: GlobalAveragePool, name: squeeze, in: [t], out: [mean]}
  - {op: Sigmoid, name: excite, in: [mean], out: [gate]}
  - {op: Mul, name: scale, in: [t, gate], out: [m]}
  - {op: Conv, name: project, in: [m, w3], out: [p]}
  - {op: Add, name: join, in: [p, x], out: [y]}
blobs:
  - {name: w0, fill: {seed: 1, amplitude: 1.0}}
  - {name: w1, fill: {seed: 2, amplitude: 1.0}}
  - {name: w2, fill: {seed: 3, amplitude: 1.0}}
  - {name: w3, fill: {seed: 4, amplitude: 1.0}}
)";

PlanOptions options(uint64_t fast, std::optional<uint64_t> percent) {
  PlanOptions result;
  result.budget.fast = fast;
  result.recompute = percent;
  return result;
}

const RepeatChain* chainOf(const std::vector<RepeatChain>& chains, const Graph& graph,
                           std::string_view tensor) {
  for (const RepeatChain& chain : chains)
    if (graph.tensor(chain.tensor).name == tensor)
      return &chain;
  return nullptr;
}

std::vector<std::string> namesOf(const Graph& graph, const std::vector<OpId>& ops) {
  std::vector<std::string> names;
  for (const OpId id : ops)
    names.push_back(graph.op(id).name);
  return names;
}

} // namespace

TEST_CASE("repeats: the chain of a map begins at a smaller tensor") {
  const Graph graph = parseGraph(Excitation);
  const std::vector<RepeatChain> chains = repeatChains(graph, IoMode::Caller, UINT64_MAX);
  const RepeatChain* chain = chainOf(chains, graph, "t");
  REQUIRE(chain != nullptr);
  // `x` is held for `join` anyway.
  CHECK(namesOf(graph, chain->ops) == std::vector<std::string>{"expand", "depthwise"});
  CHECK(namesOf(graph, chain->readers) == std::vector<std::string>{"scale"});
  CHECK(chain->macs == 256 * 32 * (4 + 9));
  CHECK(chains.front().tensor == chain->tensor);
  // `x` is as large as the image, which the caller holds.
  CHECK(chainOf(chains, graph, "x") != nullptr);
  CHECK(chainOf(repeatChains(graph, IoMode::Slow, UINT64_MAX), graph, "x") == nullptr);
  CHECK(chainOf(repeatChains(graph, IoMode::Caller, chain->macs - 1), graph, "t") == nullptr);
}

TEST_CASE("repeats: they are inserted before their reader, count as recomputation, and go again") {
  Graph graph = parseGraph(Excitation);
  const uint64_t macs = modelMacs(graph);
  const std::string before = printGraph(graph);
  const std::vector<RepeatChain> chains = repeatChains(graph, IoMode::Caller, UINT64_MAX);
  const RepeatChain chain = *chainOf(chains, graph, "t");
  insertRepeats(graph, chain);
  CHECK(namesOf(graph, graph.order()) ==
        std::vector<std::string>{"stem", "expand", "depthwise", "squeeze", "excite", "expand_again",
                                 "depthwise_again", "scale", "project", "join"});
  CHECK(modelMacs(graph) == macs);
  CHECK(repeatedMacs(graph, graph.order()) == chain.macs);
  for (const OpId id : graph.order())
    if (isRepeat(graph.op(id)))
      CHECK(repeatFault(graph, graph.op(id)).empty());

  Expected<Plan> plan = planGraph(graph, options(1 << 20, {}));
  REQUIRE(plan);
  CHECK(plan->stats.macs == macs);
  CHECK(plan->stats.recomputeMacs == chain.macs);
  CHECK(!plan->provenOptimal);
  Graph planned = graph;
  applyPlan(planned, std::move(*plan));
  CHECK(bool(checkPlan(planned)));

  CHECK(removeRepeats(graph) == 2);
  CHECK(printGraph(graph) == before);
  CHECK(removeRepeats(graph) == 0);
}

TEST_CASE("repeats: a chain is split by channels where the limit allows no more") {
  const Graph graph = parseGraph(Excitation);
  const std::vector<RepeatChain> chains = repeatChains(graph, IoMode::Caller, UINT64_MAX);
  const RepeatChain chain = *chainOf(chains, graph, "t");
  REQUIRE(splittableChannels(graph, chain) == 32);
  Graph split = graph;
  const RepeatChain low = splitChannels(split, chain, 24);
  CHECK(low.macs == chain.macs * 24 / 32);
  CHECK(namesOf(split, low.ops) == std::vector<std::string>{"expand_low", "depthwise_low"});
  CHECK(split.tensor(low.tensor).shape == Shape({1, 16, 16, 24}));
  CHECK(modelMacs(split) == modelMacs(graph));
  const auto weights = [](const Graph& model) {
    uint64_t bytes = 0;
    for (const TensorId id : model.tensors())
      bytes += model.tensor(id).isConstant() ? model.tensor(id).bytes() : 0;
    return bytes;
  };
  CHECK(weights(split) == weights(graph));
  DiagnosticEngine diagnostics;
  CHECK(verifyGraph(split, diagnostics));
  checkSameValues(graph, split);
  insertRepeats(split, low);
  checkSameValues(graph, split);

  Graph again = graph;
  REQUIRE(insertRepeatsFor(again, options(1 << 20, 50), true) > 0);
  CHECK(again.findOp("depthwise_low_again"));
  CHECK(!again.findOp("depthwise"));
  // The other readers must be global averages.
  const RepeatChain* input = chainOf(chains, graph, "x");
  REQUIRE(input != nullptr);
  CHECK(splittableChannels(graph, *input) == 0);
}

TEST_CASE("repeats: the verifier compares them with their originals") {
  Graph graph = parseGraph(Excitation);
  const std::vector<RepeatChain> chains = repeatChains(graph, IoMode::Caller, UINT64_MAX);
  insertRepeats(graph, *chainOf(chains, graph, "t"));
  Expected<Plan> plan = planGraph(graph, options(1 << 20, {}));
  REQUIRE(plan);
  applyPlan(graph, std::move(*plan));
  const auto fault = [&](const auto& edit) {
    Graph copy = graph;
    edit(copy, *copy.findOp("depthwise_again"));
    DiagnosticEngine diagnostics;
    return verifyGraph(copy, diagnostics) ? std::string() : diagnostics.all().front().message;
  };
  CHECK(fault([](Graph&, OpId) {}).empty());
  const auto names = [](const char* name) {
    return [name](Graph& copy, OpId id) { copy.editOp(id).attrs.set(RepeatKey, name); };
  };
  CHECK(fault(names("nothing")).find("which does not exist") != std::string::npos);
  CHECK(fault(names("expand_again")).find("which is a repeat itself") != std::string::npos);
  CHECK(fault(names("project")).find("which computes something else") != std::string::npos);
  CHECK(fault([](Graph& copy, OpId id) {
          copy.setInput(id, 0, *copy.findTensor("m"));
        }).find("which computes something else") != std::string::npos);
  CHECK(fault([](Graph& copy, OpId) {
          copy.setPlan(std::nullopt);
          copy.setForm(GraphForm::Normalized);
        }).find("which only form 'planned' can have") != std::string::npos);
}

TEST_CASE("repeats: the smallest budget falls, within the limit of recomputation") {
  const Graph graph = parseGraph(Excitation);
  const auto smallest = [](const Graph& model, std::optional<uint64_t> percent) {
    const Expected<BudgetNeeds> needs = budgetNeeds(model, options(1 << 20, percent));
    REQUIRE(needs);
    return needs->smallest;
  };
  const uint64_t plain = smallest(graph, 0);
  Graph again = graph;
  REQUIRE(insertRepeatsFor(again, options(1 << 20, 70), true) >= 2);
  CHECK(again.findOp("depthwise_again"));
  const uint64_t less = smallest(again, 70);
  CHECK(less < plain / 2);

  Graph same = graph;
  CHECK(insertRepeatsFor(same, options(1 << 20, 1), true) == 0);
  // A budget that suffices without repeats gets none.
  CHECK(insertRepeatsFor(same, options(plain, 70), false) == 0);
  CHECK(insertRepeatsFor(same, options(less, 70), false) >= 2);
  const Expected<Plan> plan = planGraph(same, options(less, 70));
  REQUIRE(plan);
  CHECK(plan->stats.recomputeMacs * 100 <= 70 * plan->stats.macs);
  Graph none = graph;
  CHECK(insertRepeatsFor(none, options(64, 70), false) == 0);
  PlanOptions greedy = options(less, 70);
  greedy.planner = Strategy::Greedy;
  CHECK(insertRepeatsFor(none, greedy, true) == 0);
}
