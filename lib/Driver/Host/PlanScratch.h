// Scratch that the kernels of a target need for a plan, even if it was made for another target.
#pragma once

#include "tigris/Inspect/PlanFile.h"
#include "tigris/Target/Target.h"

namespace tigris {

/// An upper bound, in bytes, on the scratch of the most demanding op of the plan; the value of the
/// backend's scratch_bytes on the device. 0 for the reference kernels. The formulas are in
/// runtime/include/tigris_scratch.h.
uint64_t planScratch(const PlanFile& file, KernelLibrary kernels);

} // namespace tigris
