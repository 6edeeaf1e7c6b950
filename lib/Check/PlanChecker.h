// Proves that a plan is safe by replaying it, independent of how it was made.
//
// Example: a plan that places x at [0, 100) and y at [50, 150) while a later op still reads x. The
// replay marks [0, 100) as x when x is loaded and [50, 150) as y when its op runs. The later op
// then finds y in a part of x's bytes, and the plan is rejected with the op, the tensors and the
// addresses.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Diagnostics.h"
#include "tigris/Support/Expected.h"

namespace tigris {

/// Replays every transfer and op of the graph's plan on a model of the memories that records the
/// contents of all bytes. Returns an error (DiagId::BadPlan) that names the stage, the op or
/// tensor, and the addresses, unless
///  - the plan satisfies verifyPlan (IR/Verifier.h), the structural rules;
///  - every read finds exactly the bytes that the producer (or the caller, or a load) wrote;
///  - no op overwrites its own inputs, another of its outputs, or the caller's inputs;
///  - after the last stage every model output is complete at the location where the caller reads
///    it;
///  - the figures of the plan and of each stage that follow from the stages (peaks, traffic, kernel
///    calls, recomputed work, halos) equal those of the replay.
Status checkPlan(const Graph& graph);

/// As checkPlan, for a plan that somebody may have edited: all figures, also those of the model
/// (StatField::ofModel), are replaced by counted ones. One warning names those that were stated and
/// differ, with both numbers. Bounds and `proven_optimal` do not survive figures that contradict
/// them. Fails with BadPlan if the plan makes more kernel calls than it states and more than
/// 262144.
Status recountPlan(Graph& graph, DiagnosticEngine& warnings);

} // namespace tigris
