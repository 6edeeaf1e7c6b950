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
/// multiply-accumulates and kernel calls. By rising fast peak, then traffic. Fails when nothing
/// fits.
Expected<std::vector<ParetoPoint>> paretoFront(const Graph& graph, const PlanOptions& options);

} // namespace tigris
