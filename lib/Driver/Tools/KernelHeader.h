// Generates the header with which firmware links only those parts of the runtime that its model
// needs.
#pragma once

#include <string>

struct tigris_plan;

namespace tigris {

/// A selection header for TIGRIS_SELECTION_HEADER (runtime/include/tigris_config.h): 1 for every
/// kernel group the plan's ops use, reference kernels and the adapters of backends alike, and for
/// the parts of the core that its stages, ports and weights need; 0 for the rest. The rest includes
/// the dynamic arena, whose need depends on the memory provided. Headers of several plans, included
/// in any order, select what any of the plans needs.
std::string kernelHeader(const tigris_plan& plan);

} // namespace tigris
