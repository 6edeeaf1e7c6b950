// Maps kernel libraries to the CMSIS-NN variants of the runtime's scratch formulas.
#pragma once

#include "tigris/Target/KernelCosts.h"

#include "tigris_scratch.h"

#include <optional>

namespace tigris {

/// The CMSIS-NN variant of the target; nullopt if it does not use CMSIS-NN.
std::optional<tigris_cmsis_nn_isa> cmsisNnIsa(KernelLibrary kernels);

} // namespace tigris
