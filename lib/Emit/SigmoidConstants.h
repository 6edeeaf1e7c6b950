// Integer constants of sigmoid and tanh on int16.
#pragma once

#include "tigris/Emit/Requant.h"
#include "tigris/IR/Op.h"

#include <optional>

namespace tigris {

/// x * multiplier / 2^shift is the argument of the runtime's tables.
struct SigmoidConstants {
  int32_t multiplier = 0;
  uint32_t shift = 0;
  bool operator==(const SigmoidConstants&) const = default;
};

/// TensorFlow Lite's constants for Sigmoid and Tanh. nullopt where it has none: zero points must be
/// 0, the scale of the result 1/32768 and that of the input below 2.67.
std::optional<SigmoidConstants> sigmoidConstants(OpKind kind, const Quant& input,
                                                 const Quant& output);

} // namespace tigris
