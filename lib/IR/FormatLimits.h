// Limits of the .tgrs format that a graph can exceed. tigris_format.h defines them; lib/Emit checks
// that they agree.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tigris {

/// Maximum number of tensors of a plan: indices have 16 bits, and one value means "none".
constexpr size_t MaxPlanTensors = 65534;
/// Maximum number of operands and results of an operator, unless the runtime is built for another.
constexpr size_t MaxPlanOperands = 32;
/// Maximum bytes of one tensor: addresses have 32 bits.
constexpr uint64_t MaxTensorBytes = UINT32_MAX;

/// Range of alignments of addresses; powers of two only.
constexpr uint64_t MinPlanAlign = 4;
constexpr uint64_t MaxPlanAlign = 4096;

} // namespace tigris
