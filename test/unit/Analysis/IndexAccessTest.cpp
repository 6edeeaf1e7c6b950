// Boxes of the operands of searches and of ops with indices, computed by hand.
#include "PassTesting.h"
#include "tigris/Analysis/BoxAccess.h"

#include "tigris/Support/StringUtils.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// The rules of an op with data x, indices i and updates u.
std::optional<BoxAccess>
indexAccess(const std::string& op,
            const std::vector<std::pair<std::string, std::string>>& tensors) {
  std::string inputs;
  std::string text;
  for (const auto& [name, shape] : tensors) {
    const bool isIndex = name == "i" || (name == "y" && op.find("Arg") != std::string::npos);
    text += strCat("  - {name: ", name, ", type: ", isIndex ? "int64" : "float32",
                   ", shape: ", shape, "}\n");
    if (name != "y")
      inputs += strCat(inputs.empty() ? "" : ", ", "{name: ", name, "}");
  }
  const Graph graph =
      parseGraph(strCat("form: normalized\nlayout: channels-last\ninputs: [", inputs,
                        "]\noutputs: [{name: y}]\ntensors:\n", text, "ops:\n  - {op: ", op, "}\n"));
  return BoxAccess::make(graph, graph.op(graph.order().at(0)));
}

Box box(Range a, Range b, Range c = {0, 1}, Range d = {0, 1}) { return Box{{{a, b, c, d}}}; }

} // namespace

TEST_CASE("a search needs whole lines along its axis, which its result lacks") {
  const auto removed =
      indexAccess("ArgMax, name: op, in: [x], out: [y], attrs: {axis: 1, keepdims: 0}",
                  {{"x", "[2, 5, 4]"}, {"y", "[2, 4]"}});
  REQUIRE(removed);
  CHECK(removed->need(0, box({1, 2}, {1, 3})) == box({1, 2}, {0, 5}, {1, 3}));
  CHECK(removed->canCut(1, 4));
  const auto kept = indexAccess("ArgMin, name: op, in: [x], out: [y], attrs: {axis: -1}",
                                {{"x", "[2, 5, 4]"}, {"y", "[2, 5, 1]"}});
  REQUIRE(kept);
  CHECK(kept->need(0, box({0, 1}, {3, 4}, {0, 1})) == box({0, 1}, {3, 4}, {0, 4}));
}

TEST_CASE("the axis of a running sum is never cut") {
  const auto access = indexAccess("CumSum, name: op, in: [x], out: [y], attrs: {axis: 1}",
                                  {{"x", "[2, 5, 4]"}, {"y", "[2, 5, 4]"}});
  REQUIRE(access);
  CHECK(access->canCut(0, 2));
  CHECK_FALSE(access->canCut(1, 5));
  CHECK(access->canCut(2, 4));
  CHECK(access->need(0, box({1, 2}, {0, 5}, {2, 4})) == box({1, 2}, {0, 5}, {2, 4}));
}

TEST_CASE("both results of the largest values have the same box, in a stage of their own") {
  const Graph graph = parseGraph(
      "form: normalized\nlayout: channels-last\ninputs: [{name: x}]\noutputs: [{name: y}]\n"
      "tensors:\n  - {name: x, type: float32, shape: [2, 5, 4]}\n"
      "  - {name: y, type: float32, shape: [2, 3, 4]}\n"
      "  - {name: at, type: int64, shape: [2, 3, 4]}\n"
      "ops:\n  - {op: TopK, name: op, in: [x], out: [y, at], attrs: {axis: 1, K: 3}}\n");
  const auto access = BoxAccess::make(graph, graph.op(graph.order().at(0)));
  REQUIRE(access);
  CHECK(access->runsAlone());
  CHECK_FALSE(access->canCut(1, 3));
  const Box part = box({1, 2}, {0, 3}, {2, 4});
  CHECK(access->need(0, part) == box({1, 2}, {0, 5}, {2, 4}));
  CHECK(access->made(0, part) == part);
  CHECK(access->made(1, part) == part);
}

TEST_CASE("a gather by element needs whole lines of data, and the indices of its result") {
  const auto access =
      indexAccess("GatherElements, name: op, in: [x, i], out: [y], attrs: {axis: 1}",
                  {{"x", "[4, 9, 6]"}, {"i", "[4, 3, 5]"}, {"y", "[4, 3, 5]"}});
  REQUIRE(access);
  const Box part = box({1, 2}, {2, 3}, {0, 5});
  CHECK(access->need(0, part) == box({1, 2}, {0, 9}, {0, 6}));
  CHECK(access->need(1, part) == part);
  CHECK(access->canCut(1, 3));
  CHECK_FALSE(access->canCut(2, 5)); // 5 of 6
}

TEST_CASE("a scatter by element is not cut along its axis") {
  const auto access =
      indexAccess("ScatterElements, name: op, in: [x, i, u], out: [y], attrs: {axis: 1}",
                  {{"x", "[4, 9, 6]"}, {"i", "[3, 2, 6]"}, {"u", "[3, 2, 6]"}, {"y", "[4, 9, 6]"}});
  REQUIRE(access);
  const Box part = box({0, 4}, {0, 9}, {1, 3});
  CHECK(access->need(0, part) == part);
  CHECK(access->need(1, part) == box({0, 3}, {0, 2}, {1, 3}));
  CHECK(access->need(2, part) == box({0, 3}, {0, 2}, {1, 3}));
  CHECK_FALSE(access->canCut(0, 4)); // 3 of 4
  CHECK_FALSE(access->canCut(1, 9));
  CHECK(access->canCut(2, 6));
}

TEST_CASE("a gather by tuples needs its tuples, the batches and the parts of their blocks") {
  const auto access =
      indexAccess("GatherND, name: op, in: [x, i], out: [y], attrs: {batch_dims: 1}",
                  {{"x", "[2, 5, 7, 6]"}, {"i", "[2, 3, 2]"}, {"y", "[2, 3, 6]"}});
  REQUIRE(access);
  const Box part = box({1, 2}, {0, 2}, {3, 6});
  CHECK(access->need(0, part) == box({1, 2}, {0, 5}, {0, 7}, {3, 6}));
  CHECK(access->need(1, part) == box({1, 2}, {0, 2}, {0, 2}));
  for (size_t axis = 0; axis < 3; ++axis)
    CHECK(access->canCut(axis, 2));
}

TEST_CASE("a scatter by tuples is cut inside its blocks") {
  const auto access =
      indexAccess("ScatterND, name: op, in: [x, i, u], out: [y]",
                  {{"x", "[5, 7, 6]"}, {"i", "[4, 3, 2]"}, {"u", "[4, 3, 6]"}, {"y", "[5, 7, 6]"}});
  REQUIRE(access);
  const Box part = box({0, 5}, {0, 7}, {2, 3});
  CHECK(access->need(0, part) == part);
  CHECK(access->need(1, part) == box({0, 4}, {0, 3}, {0, 2}));
  CHECK(access->need(2, part) == box({0, 4}, {0, 3}, {2, 3}));
  CHECK_FALSE(access->canCut(0, 5));
  CHECK_FALSE(access->canCut(1, 7));
  CHECK(access->canCut(2, 6));
}

TEST_CASE("indices that are also data stay whole") {
  const Graph graph = parseGraph(
      "form: normalized\nlayout: channels-last\ninputs: [{name: i}]\noutputs: [{name: y}]\n"
      "tensors:\n  - {name: i, type: int64, shape: [4, 4]}\n"
      "  - {name: y, type: int64, shape: [4, 4]}\n"
      "ops:\n  - {op: GatherElements, name: op, in: [i, i], out: [y], attrs: {axis: 0}}\n");
  CHECK_FALSE(BoxAccess::make(graph, graph.op(graph.order().at(0))));
}
