// Converts float constants to int8: weights symmetric, per channel or per tensor; other operands
// per tensor.
#pragma once

#include "tigris/IR/Tensor.h"

#include <vector>

namespace tigris {

/// Rounds `weights` (a float32 constant) to [-127, 127] with zero point 0. `axis` >= 0: one scale
/// per index of that axis; -1: one scale. A scale is max |w| / 127; with `leastError` it is the one
/// with the smallest squared error among some smaller ones. `smallestScale` (empty, or one per
/// scale) bounds scales from below. Name and other properties of the result are those of `weights`.
Tensor quantizeWeights(const Tensor& weights, int axis, bool leastError,
                       const std::vector<double>& smallestScale);

/// Quantizes `constant`, an operand of Add or Mul, over its own range with one scale and a zero
/// point.
Tensor quantizeConstant(const Tensor& constant, bool symmetric);

/// Real values of a quantized int8 constant minus the float constant it was made from.
std::vector<float> quantizationError(const Tensor& quantized, const Tensor& original);

} // namespace tigris
