// Plans that leave fast memory for weights: the planner's budget is divided between the prefix that
// weights are brought to and everything else.
#pragma once

#include "tigris/Compile/CompileOptions.h"
#include "tigris/Plan/Search/PlanDrafts.h"

namespace tigris {

/// Whether the options ask for weights in fast memory.
inline bool bringsWeights(const PlanningOptions& options) {
  return options.weights == WeightMemory::Copy || options.compress == Compression::Lz4;
}

/// Makes one plan with other options.
using PlanMaker = std::function<Expected<Plan>(const PlanningOptions&)>;

/// The plan of `make` with enough fast memory left free for weights. Unless options.findReserve is
/// false, the reserve is found as follows.
///
/// Copying: a plan without a reserve is kept if what it leaves suffices for its own needs: the
/// weights of each tiled or streamed stage together, and those of each other op. Otherwise the
/// reserves tried are the weights of the largest op, doubled until they reach those needs; tiled
/// and streamed stages then have at most that many bytes of weights. The plan with the least slow
/// traffic, then recomputation, then reserve is taken. OverBudget names the op with the largest
/// weights and the least fast memory that would do.
///
/// Compressing: a plan without a reserve is kept if it leaves enough for the weights of the largest
/// op. Otherwise the reserves tried are that number, its half, quarter and eighth, beginning with
/// the smallest that saves nearly as much flash as the largest, then smaller ones. If none gives a
/// smaller file, the plan has no reserve, and a remark on the op with the largest weights says so.
Expected<Plan> planForWeights(const Graph& graph, const PlanningOptions& options,
                              PlanDrafts& drafts, const PlanMaker& make);

} // namespace tigris
