// The candidate orders of a planner and its lower bound, against random orders.
#include "tigris/Plan/Search/Schedule.h"
#include "RandomGraphs.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/PortCopies.h"

#include <doctest/doctest.h>

#include <set>

using namespace tigris;

namespace {

/// Executes random ready ops one after another.
std::vector<OpId> randomOrder(const Graph& graph, std::mt19937& random) {
  std::vector<OpId> left = graph.order();
  std::set<OpId> done;
  std::vector<OpId> order;
  while (!left.empty()) {
    const size_t at = random() % left.size();
    bool isReady = true;
    for (const TensorId input : graph.op(left[at]).inputs)
      isReady = isReady && (!graph.producer(input) || done.count(graph.producer(input)) != 0);
    if (!isReady)
      continue;
    order.push_back(left[at]);
    done.insert(left[at]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return order;
}

} // namespace

TEST_CASE("no order goes below the bound, and none known below the one chosen") {
  std::mt19937 random(5);
  unsigned proven = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Graph graph = test::randomGraph(seed, 4 + seed / 2);
    insertPortCopies(graph);
    for (const IoMode io : {IoMode::Slow, IoMode::Caller, IoMode::Arena}) {
      PlanOptions options;
      options.budget = {1 << 20, 1 << 20, {}};
      options.io = io;
      const Expected<Plan> plan = planGraph(graph, options);
      REQUIRE(plan);
      REQUIRE(plan->stages.size() == 1);
      CHECK(plan->bounds.fastPeakBytes <= plan->stats.fastPeakBytes);
      proven += plan->provenOptimal ? 1 : 0;
      for (int i = 0; i < 5; ++i) {
        const Schedule other(graph, randomOrder(graph, random), io, plan->align);
        CHECK(plan->bounds.fastPeakBytes <= other.layout.height);
      }
      CHECK(plan->stats.fastPeakBytes <=
            Schedules(graph, io, plan->align, false).best().layout.height);
    }
  }
  MESSAGE(proven, " of 180 plans are proven optimal");
  CHECK(proven > 60);
}
