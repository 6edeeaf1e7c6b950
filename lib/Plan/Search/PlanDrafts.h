// The orders of a graph and what has been drafted in them.
#pragma once

#include "tigris/Plan/Search/Schedule.h"
#include "tigris/Plan/Stage/StageDrafter.h"

namespace tigris {

/// Kept by those who plan one graph for several budgets or objectives: most of the work is the same
/// for all of them. What has been asked before makes answers faster and changes none. The graph
/// must not change meanwhile; schedules stay where they are.
class PlanDrafts {
public:
  explicit PlanDrafts(const Graph& graph) : graph_(graph) {}
  PlanDrafts(const PlanDrafts&) = delete;
  PlanDrafts& operator=(const PlanDrafts&) = delete;

  const Graph& graph() const { return graph_; }
  const Schedules& orders(IoMode io, uint64_t align, bool search);
  /// `schedule` is one of the orders; model inputs and outputs that are moved by `rows` are not
  /// worked on in place.
  StageDrafter drafter(const Schedule& schedule, const CostModel& costs,
                       const std::vector<TensorId>& rows = {});

private:
  struct Orders {
    IoMode io;
    uint64_t align;
    bool search;
    Schedules schedules;
  };
  struct Drafter {
    const Schedule* schedule;
    std::vector<TensorId> rows;
    StageDrafter drafter;
  };

  const Graph& graph_;
  std::deque<Orders> orders_;
  std::deque<Drafter> drafters_;
};

} // namespace tigris
