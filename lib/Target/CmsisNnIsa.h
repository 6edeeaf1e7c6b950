// The kernel libraries of CMSIS-NN as the runtime's scratch formulas name them.
#pragma once

#include "tigris/Target/KernelCosts.h"

#include "tigris_scratch.h"

#include <optional>

namespace tigris {

/// How CMSIS-NN is compiled for the target; nullopt: its kernels are not used.
std::optional<tigris_cmsis_nn_isa> cmsisNnIsa(KernelLibrary kernels);

} // namespace tigris
