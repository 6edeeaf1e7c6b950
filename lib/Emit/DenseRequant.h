// Requantization and biases of convolutions and dense layers on integers.
#pragma once

#include "tigris/Emit/LoweringContext.h"

#include <vector>

namespace tigris {

/// in * weight / out, with the precision TFLite has it: convScale or denseScale.
using ScaleOf = double (*)(float input, float weight, float output);

/// What requantization has to know of an op whose operands are x, weights and perhaps a bias.
struct DenseForm {
  size_t channels = 0;
  /// Of the output channels in the weights as the graph has them.
  int channelAxis = 0;
  ScaleOf scaleOf = convScale;
  /// Of the multipliers. Results are rounded to even in graphs that round once, whatever this says.
  IntegerRounding rounding = IntegerRounding::Once;
};

/// Fields of the op's record, and its bias.
struct DenseRequant {
  uint32_t requant = TIGRIS_NONE;
  uint32_t requantCount = 0;
  uint32_t weightZeros = TIGRIS_NONE;
  uint32_t weightZerosCount = 0;
  /// Of tigris_op.
  uint8_t flags = 0;
  /// One value per channel in units of scale(x) * scale(w), or none: the op has no bias operand.
  std::vector<int32_t> bias;
};

/// In a graph that rounds once, ops some of whose results can be halves, or whose bias is no integer in units of
/// scale(x) * scale(w), get TIGRIS_ROUND_EVEN with the bias in the offsets; all others a multiplier and an int32 bias.
Expected<DenseRequant> denseRequant(LoweringContext& context, const Op& op, const DenseForm& form);

} // namespace tigris
