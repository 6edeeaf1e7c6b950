// Sums of int8 as TensorFlow Lite computes them: in int32 with 19 fractional bits.
#pragma once

#include "tigris/Import/Tflite/OpContext.h"

namespace tigris {

/// An int8 tensor as int32 in units of its scale / 2^19, counted from its zero point.
TensorId asFixed(OpContext& op, TensorId x);

/// The result of a sum in those units of operands like `x`. TensorFlow Lite begins its sums with
/// the stored 0 instead of the zero point.
const Status& finishFixed(OpContext& op, TensorId sum, TensorId x);

/// Whether the operand and the result are int8 in the file; reports an error if only the result is
/// quantized.
bool sumsAreFixed(OpContext& op, TensorId x);

} // namespace tigris
