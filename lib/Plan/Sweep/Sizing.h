// Plans for several budgets: the table from which users choose a memory size.
#pragma once

#include "tigris/IR/PlanStats.h"
#include "tigris/Plan/Planner.h"

namespace tigris {

struct SizingRow {
  uint64_t fastBudget = 0;
  /// Why the budget was tried: "requested", "smallest", "smallest without slow memory", "one
  /// stage"; and "overflow" if the plan has it. Several are joined by commas.
  std::string remark;
  /// nullopt if the model does not fit.
  std::optional<PlanStats> stats;
  StageCounts counts;
};

/// Plans the graph for several fast budgets, in ascending order: the one of `options`, a half and a
/// quarter, twice and four times that, the smallest one in which all ops run in fast memory, and
/// the smallest one with a single stage (not with rows). With slowAsNeeded, each row uses slow
/// memory only if its budget does not suffice without. Slow and flash budgets are those of
/// `options`. So is the objective, except that "memory" applies to the requested budget only and
/// the other rows use "traffic". Every model output must have a tensor of its own. The figures are
/// those of the plans that `finish` returns, if it is given. Fails if `finish` fails for a reason
/// other than the budget.
Expected<std::vector<SizingRow>> sizingTable(const Graph& graph, const PlanOptions& options,
                                             const PlanFinisher& finish = {});

} // namespace tigris
