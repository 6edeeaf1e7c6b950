// Scratch that the kernels of a target need for a plan, whatever target the plan was made for.
#pragma once

#include "tigris/Inspect/PlanFile.h"
#include "tigris/Target/Target.h"

namespace tigris {

/// Bytes that the most demanding op of the plan needs, at most; what the backend's scratch_bytes
/// says on the device. 0 for the reference kernels. The formulas are those of
/// runtime/include/tigris_scratch.h.
uint64_t planScratch(const PlanFile& file, KernelLibrary kernels);

} // namespace tigris
