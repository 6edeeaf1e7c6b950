// The orders of a graph, and the drafts that were made for them.
#pragma once

#include "tigris/Plan/Search/Schedule.h"
#include "tigris/Plan/Stage/StageDrafter.h"

namespace tigris {

/// Shared by all plans of one graph for several budgets or objectives, because most of their work
/// is the same. Earlier queries make later ones faster, but do not change their results. The graph
/// must not change meanwhile. References to schedules stay valid.
class PlanDrafts {
public:
  explicit PlanDrafts(const Graph& graph) : graph_(graph) {}
  PlanDrafts(const PlanDrafts&) = delete;
  PlanDrafts& operator=(const PlanDrafts&) = delete;

  const Graph& graph() const { return graph_; }
  const Schedules& orders(IoMode io, uint64_t align, bool search);
  /// `schedule` is one of the orders. Stages do not work in place on the model inputs and outputs
  /// in `rows`, which are moved by rows.
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
