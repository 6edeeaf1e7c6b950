// The header with which a firmware links what one model needs of the runtime and no more.
#pragma once

#include <string>

struct tigris_plan;

namespace tigris {

/// A selection header for TIGRIS_SELECTION_HEADER (runtime/include/tigris_config.h): every kernel group the plan's
/// ops use, reference kernels and the adapters of backends alike, and 0 for the parts of the core that no stage, port
/// or weight of the plan needs. The dynamic arena, which depends on the memory at hand, is among these.
std::string kernelHeader(const tigris_plan& plan);

} // namespace tigris
