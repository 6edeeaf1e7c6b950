// Tries orders and drops duplicates.
#include "tigris/Plan/Search/Schedule.h"

#include "tigris/Analysis/OpOrder.h"
#include "tigris/Analysis/OrderSearch.h"

#include <algorithm>

namespace tigris {

Schedules::Schedules(const Graph& graph, IoMode io, uint64_t align, bool search) {
  all_.emplace_back(graph, graph.order(), io, align);
  if (given().timeline.bound == 0)
    return;
  // In slow memory, an output has a place of its own, to which the source must be copied.
  const auto add = [&](std::vector<OpId> order) {
    if (io != IoMode::Slow)
      order = outputViewsLast(graph, std::move(order));
    if (std::none_of(all_.begin(), all_.end(),
                     [&](const Schedule& known) { return known.order == order; }))
      all_.emplace_back(graph, std::move(order), io, align);
  };
  add(depthFirstOrder(graph));
  if (search)
    add(leastPeakOrder(graph, io, align));
}

const Schedule& Schedules::best() const {
  return *std::min_element(all_.begin(), all_.end(), [](const Schedule& a, const Schedule& b) {
    return a.layout.height < b.layout.height;
  });
}

} // namespace tigris
