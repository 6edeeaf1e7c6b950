// Plans for other budgets: the table from which users choose their memory.
#pragma once

#include "tigris/Plan/Planner.h"

namespace tigris {

struct SizingRow {
  uint64_t fastBudget = 0;
  /// Why the budget was tried: "requested", "smallest", "one stage", or nothing.
  std::string remark;
  /// nullopt when the model does not fit.
  std::optional<PlanStats> stats;
  size_t stages = 0;
  size_t tiledStages = 0;
  size_t streamedStages = 0;
};

/// Plans the graph for the budget of `options`, a half and a quarter, twice and four times it, the
/// smallest fast budget that works, and the smallest that needs one stage only (not with rows); by
/// rising budget. Slow and flash budgets are those of `options`, and so is the objective, but only
/// the budget asked for is planned for "memory", the others for "traffic". Every model output must
/// have a tensor of its own. The figures are those of the plans that `finish` returns, if it is
/// given; fails when `finish` does for another reason than the budget.
Expected<std::vector<SizingRow>> sizingTable(const Graph& graph, const PlanOptions& options,
                                             const PlanFinisher& finish = {});

} // namespace tigris
