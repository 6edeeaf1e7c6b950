// Remarks on how the specified strategy came to the stages of a plan.
#pragma once

#include "tigris/IR/Plan.h"
#include "tigris/Plan/Stage/StageDrafter.h"

namespace tigris {

/// For each stage of a plan in `budget` bytes that was made in the order of the drafter:
///   tile-height   the figures of the formula for an op in strips
///   chain-height  the tiles of a chain and their bytes
///   cut-again     the op before which a stage had to be cut because its tensors do not fit,
///   although
///                 its specified peak does
void remarkOnSpecification(const StageDrafter& drafter, const Plan& plan, uint64_t budget);

} // namespace tigris
