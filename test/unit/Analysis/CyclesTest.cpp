// The first cycle of a graph, and its text.
#include "tigris/Analysis/Cycles.h"

#include "PassTesting.h"
#include "tigris/Support/StringUtils.h"

#include <doctest/doctest.h>

using namespace tigris;

using Cycle = std::vector<size_t>;

TEST_CASE("cycles: none in a graph whose edges all lead on") {
  CHECK(firstCycle(0, {}).empty());
  CHECK(firstCycle(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {0, 1}}).empty());
}

TEST_CASE("cycles: the shortest through the first vertex on one") {
  CHECK(firstCycle(2, {{0, 1}, {1, 1}}) == Cycle{1});
  CHECK(firstCycle(3, {{2, 1}, {1, 2}, {0, 1}}) == Cycle{1, 2});
  // The long way round, a short cut, and a shorter cycle that begins later.
  CHECK(firstCycle(5, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {1, 3}, {4, 4}}) == Cycle{0, 1, 3});
  CHECK(firstCycle(6, {{5, 4}, {4, 5}, {3, 2}, {2, 3}}) == Cycle{2, 3});
}

TEST_CASE("cycles: a long one takes no stack") {
  constexpr size_t Count = 200000;
  std::vector<std::pair<size_t, size_t>> edges;
  for (size_t i = 0; i < Count; ++i)
    edges.emplace_back(i, (i + 1) % Count);
  CHECK(firstCycle(Count, edges).size() == Count);
}

TEST_CASE("cycles: the message names the vertices in order, not all of a long cycle") {
  CHECK(cycleMessage({"a"}) == "a depends on itself: a -> a");
  CHECK(cycleMessage({"a", "b"}) == "a depends on itself: a -> b -> a");
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i)
    names.push_back(strCat("n", i));
  CHECK(cycleMessage(names) ==
        "n0 depends on itself: n0 -> n1 -> n2 -> n3 -> n4 -> n5 -> n6 -> n7 -> n8 -> n9 -> n10 -> "
        "n11 -> ... -> n0 (100 in all)");
}
