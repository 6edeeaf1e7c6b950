// An execution order with everything that follows from it, and the orders that the planner tries.
#pragma once

#include "tigris/Analysis/InPlace.h"
#include "tigris/Analysis/MemoryTimeline.h"
#include "tigris/Plan/Layout/ArenaLayout.h"

#include <deque>

namespace tigris {

/// The whole graph as one stage in some order. The order must not change while the aliases are
/// used.
struct Schedule {
  Schedule(const Graph& graph, std::vector<OpId> opOrder, IoMode io, uint64_t align)
      : order(std::move(opOrder)), aliases(graph, order),
        buffers(computeLifetimesInPlace(graph, order, aliases, io)),
        timeline(computeTimeline(buffers, order.size(), align)),
        layout(layoutArena(buffers, align, timeline.bound, ThoroughFit)) {}

  std::vector<OpId> order;
  AliasSets aliases;
  std::vector<LiveBuffer> buffers;
  MemoryTimeline timeline;
  ArenaLayout layout;
};

/// The orders that the planner tries: the graph's own order and, if they differ, the depth-first
/// order and the one with the lowest peak found (leastPeakOrder). Unless outputs are in slow
/// memory, the latter two have views that are outputs at their end.
class Schedules {
public:
  /// `search`: whether to search for the lowest peak.
  Schedules(const Graph& graph, IoMode io, uint64_t align, bool search);

  const Schedule& given() const { return all_.front(); }
  /// The first schedule with the lowest layout.
  const Schedule& best() const;
  /// References to the schedules stay valid.
  const std::deque<Schedule>& all() const { return all_; }

private:
  std::deque<Schedule> all_;
};

} // namespace tigris
