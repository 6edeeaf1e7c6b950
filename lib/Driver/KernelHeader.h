// The header with which a firmware links the kernels of one model and no others.
#pragma once

#include <string>

struct tigris_plan;

namespace tigris {

/// A selection header for TIGRIS_SELECTION_HEADER (runtime/include/tigris_config.h): every kernel group the plan's
/// ops use, reference kernels and the adapters of backends alike.
std::string kernelHeader(const tigris_plan& plan);

} // namespace tigris
