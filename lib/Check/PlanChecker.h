// Proves that a plan is safe by replaying it, without looking at how it was made.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

namespace tigris {

/// Replays every transfer and op of the graph's plan on a model of the memories that knows whose bytes
/// lie where. An error (DiagId::BadPlan) names the stage, the op or tensor, and the addresses, unless
///  - the stages hold exactly the graph's order, and a tensor has one place per stage at most;
///  - every offset is a multiple of the plan's alignment and every byte lies inside its budget;
///  - every read finds all the bytes its producer (or the caller, or a load) wrote, and nothing else;
///  - no op writes over its own inputs, over another of its outputs, or over the caller's inputs;
///  - after the last stage every model output lies, complete, where the caller looks for it;
///  - the peaks, traffic and kernel calls the plan promises are the ones the replay counts.
Status checkPlan(const Graph& graph);

} // namespace tigris
