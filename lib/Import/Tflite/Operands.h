// Operands that many rules read: dimensions, numbers, and parts of tensors.
#pragma once

#include "tigris/Import/Tflite/OpContext.h"

#include <array>

namespace tigris {

/// A dimension counted from the front; reports an error if there is none.
size_t dimensionOf(OpContext& op, int64_t axis, size_t rank);

/// The only element of an operand.
int64_t oneInteger(OpContext& op, size_t index, std::string_view what);

/// Rules for one operand of data: reports an error, with an invalid id, if operands are missing.
TensorId operandOf(OpContext& op, size_t operands, size_t index = 0);

/// The elements from starts to ends of every dimension, in steps of 1 unless given.
TensorId slicedBy(OpContext& op, TensorId x, std::vector<int64_t> starts, std::vector<int64_t> ends,
                  std::vector<int64_t> steps = {});

/// The part [from, to) of one dimension.
TensorId partOf(OpContext& op, TensorId x, size_t axis, int64_t from, int64_t to);

/// Adds an op with two results, which are named by the suffixes and have these quantizations.
/// Invalid ids after an error.
std::array<TensorId, 2> twoResults(OpContext& op, std::array<std::string_view, 2> suffixes,
                                   OpKind kind, std::vector<TensorId> inputs, AttrMap attrs,
                                   const std::optional<QuantParam>& first = std::nullopt,
                                   const std::optional<QuantParam>& second = std::nullopt);

} // namespace tigris
