// What a .tgrs plan has room for, as far as a graph can be too large for it. tigris_format.h decides; lib/Emit compares.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tigris {

/// Tensors of a plan: they are numbered in 16 bits, one number says "none".
constexpr size_t MaxPlanTensors = 65534;
/// Bytes of one tensor: addresses have 32 bits.
constexpr uint64_t MaxTensorBytes = UINT32_MAX;

} // namespace tigris
