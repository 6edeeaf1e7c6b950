// Requantization and biases of integer convolutions and dense layers.
#pragma once

#include "tigris/Emit/LoweringContext.h"

#include <vector>

namespace tigris {

/// in * weight / out in the precision that TFLite uses: convScale or denseScale.
using ScaleOf = double (*)(float input, float weight, float output);

/// Properties of an op with operands x, weights and an optional bias that determine its
/// requantization.
struct DenseForm {
  size_t channels = 0;
  /// Axis of the output channels in the graph's weights.
  int channelAxis = 0;
  ScaleOf scaleOf = convScale;
  /// Rounding of the multipliers. Graphs that round once round results to even regardless of this.
  IntegerRounding rounding = IntegerRounding::Once;
};

/// Fields of the op's record, and its bias.
struct DenseRequant {
  OpForm form;
  /// One value per channel in units of scale(x) * scale(w); empty if the op has no bias operand.
  std::vector<int32_t> bias;
};

/// In a graph that rounds once, an op gets TIGRIS_ROUND_EVEN, with the bias in the offsets, if some
/// of its results can be halves or its bias is not an integer in units of scale(x) * scale(w). All
/// other ops get a multiplier and an int32 bias.
Expected<DenseRequant> denseRequant(LoweringContext& context, const Op& op, const DenseForm& form);

} // namespace tigris
