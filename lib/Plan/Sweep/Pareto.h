// Pareto-optimal plans.
#pragma once

#include "tigris/Plan/Planner.h"

namespace tigris {

struct ParetoPoint {
  uint64_t fastBudget = 0;
  Objective optimize = Objective::Traffic;
  PlanStats stats;
  size_t stages = 0;
};

/// Plans of fast budgets from the smallest that works to that of `options` or the one of a single
/// stage, each a quarter above the one before, for traffic and for latency; without those that
/// another one equals or beats in fast peak, slow peak, slow traffic, recomputed
/// multiply-accumulates and kernel calls. By rising fast peak, then traffic. The figures are
/// those of the plans that `finish` returns, if it is given. Fails when nothing fits, and when
/// `finish` does for another reason.
Expected<std::vector<ParetoPoint>> paretoFront(const Graph& graph, const PlanOptions& options,
                                               const PlanFinisher& finish = {});

} // namespace tigris
