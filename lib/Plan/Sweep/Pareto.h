// Pareto-optimal plans.
#pragma once

#include "tigris/IR/PlanStats.h"
#include "tigris/Plan/Planner.h"

namespace tigris {

struct ParetoPoint {
  uint64_t fastBudget = 0;
  Objective optimize = Objective::Traffic;
  PlanStats stats;
  StageCounts counts;
};

/// Pareto-optimal plans, by rising fast peak, then by rising traffic. The candidates are plans for
/// traffic and for latency in rising fast budgets, each a quarter above the one before. The
/// smallest budget is the smallest that works; the largest is that of `asked` or of a single
/// stage, whichever is smaller. A candidate is dropped if another one equals or beats it in fast
/// peak, slow peak, slow traffic, recomputed multiply-accumulates and kernel calls. The figures are
/// those of the plans that `finish` returns, if it is given. With slowAsNeeded, the plans use slow
/// memory only if none in the budget of `asked` does without. Fails if nothing fits, or if `finish`
/// fails for a reason other than the budget.
Expected<std::vector<ParetoPoint>> paretoFront(const Graph& graph, const PlanOptions& asked,
                                               const PlanFinisher& finish = {});

} // namespace tigris
