// Rematerialization: which ops to execute again, so that less memory holds results.
#pragma once

#include "tigris/Plan/PlanOptions.h"

namespace tigris {

/// Inserts repeats (IR/Repeats.h) into a prepared graph for a plan without slow memory. Returns the
/// number of ops that the graph has more. If the graph fits the budget without them, it stays as it
/// is, unless `leastFast`: the smallest feasible budget is then lowered as far as possible.
/// Repeats, halos and stripes together recompute no more than options.recompute allows; if unset,
/// as much as the model computes. If no repeats make the graph fit, it stays as it is.
///
/// Chains are tried one after the other, those of the largest tensors first, each together with
/// those that have made nothing much worse. A chain beyond the limit repeats only some channels, if
/// it can be split (Plan/Remat/ChannelSplit.h). In the end, those that the budget does not need are
/// dropped. The number of trials is limited, and lower for large graphs.
size_t insertRepeatsFor(Graph& graph, const PlanOptions& options, bool leastFast);

} // namespace tigris
