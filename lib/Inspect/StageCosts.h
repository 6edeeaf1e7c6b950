// Costs of each stage of a plan file, which the file does not contain.
#pragma once

#include "tigris/Inspect/PlanFile.h"

#include <vector>

namespace tigris {

/// Per inference.
struct StageCost {
  uint64_t readBytes = 0;    ///< from slow memory
  uint64_t writtenBytes = 0; ///< to slow memory
  uint64_t kernelCalls = 0;
};

/// One entry per stage, from the counters of the runtime's executor, which runs the plan with empty
/// kernels. Empty if that takes more than 1 GiB of memory or 2^22 kernel calls in tiled stages, or
/// if the executor rejects the plan (more ports than it was built for).
std::vector<StageCost> stageCosts(const PlanFile& file);

} // namespace tigris
