// The height of a streamed stage depends on the question, not on those that were asked before.
#include "PassTesting.h"
#include "StreamTesting.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace tigris;

namespace {

std::string row(const char* in, const char* out) {
  return strCat("op: Relu, name: to_", out, ", in: [", in, "], out: [", out, "]");
}

std::string sum(const char* left, const char* right, const char* out) {
  return strCat("op: Add, name: to_", out, ", in: [", left, ", ", right, "], out: [", out, "]");
}

using Answers = std::map<uint64_t, std::optional<uint64_t>>;

} // namespace

TEST_CASE("streams: heights do not depend on the order of questions") {
  // Ever lower layouts are found: of 112 bytes, of 110, finally of 106.
  const Graph graph = parseGraph(
      graphOf({"x", "a", "b", "c", "d", "e", "f", "g", "y"},
              {window("x", "a"), window("a", "b"), row("b", "c"), row("c", "d"), window("d", "e"),
               window("e", "f"), sum("a", "f", "g"), sum("f", "g", "y")}));
  AccessTable access(graph);
  RowTable rows(access);
  constexpr uint64_t Align = 4;
  std::vector<uint64_t> budgets;
  for (uint64_t budget = 96; budget <= 128; budget += 2)
    budgets.push_back(budget);

  const auto ask = [&](const std::vector<uint64_t>& order, bool leastFirst) {
    const StreamModel model = modelOf(rows);
    const StreamCost cost = *model.cost(model.mostSteps(), 1);
    if (leastFirst)
      CHECK(model.height(cost, Align) == 106);
    Answers answers;
    for (const uint64_t budget : order)
      answers[budget] = model.heightWithin(cost, Align, budget);
    CHECK(model.height(cost, Align) == 106);
    return answers;
  };
  const Answers ascending = ask(budgets, false);
  CHECK(ascending.at(128) == 112);
  CHECK(ascending.at(112) == 112);
  CHECK(ascending.at(110) == 110);
  CHECK(ascending.at(106) == 106);
  CHECK_FALSE(ascending.at(104));

  std::reverse(budgets.begin(), budgets.end());
  CHECK(ask(budgets, false) == ascending);
  CHECK(ask(budgets, true) == ascending);
  std::rotate(budgets.begin(), budgets.begin() + 7, budgets.end());
  CHECK(ask(budgets, false) == ascending);
}

TEST_CASE("streams: bounds of one stripe are at most those of the cost") {
  for (const std::string& text :
       {Residual, graphOf({"x", "a", "y"}, {window("x", "a"), window("a", "y")})}) {
    const Graph graph = parseGraph(text);
    AccessTable access(graph);
    RowTable rows(access);
    const StreamModel model = modelOf(rows);
    const std::set<TensorId> whole = {*graph.findTensor("x"), *graph.findTensor("y")};
    for (const int64_t stripes : model.stripeCounts()) {
      const auto cost = model.cost(model.mostSteps(), stripes);
      if (!cost)
        continue;
      const uint64_t bound = model.lowerBound(*cost);
      CHECK(model.leastBytes(stripes) <= bound);
      if (stripes > 1)
        CHECK(model.leastBytes({}) <= bound);
    }
    // In one stripe, nothing but what is not whole in fast memory.
    CHECK(model.leastBytes(1) == model.lowerBound(*model.cost(model.mostSteps(), 1, whole)));
  }
}
