// Compile-time evaluation of operators on constants, in the arithmetic of the operator's type.
#pragma once

#include "tigris/IR/ShapeInference.h"

#include <cstdint>

namespace tigris {

/// Maximum bytes of one constant created at compile time: a table of the importer, or a result of
/// constant folding. The limit keeps a small model from becoming a large file.
constexpr uint64_t MaxMadeBytes = uint64_t{16} << 20;
/// Maximum total bytes that one run of constant folding creates.
constexpr uint64_t MaxMadeBytesInAll = uint64_t{256} << 20;
/// Maximum multiply-accumulates of one run, which take some seconds.
constexpr uint64_t MaxFoldedMacs = uint64_t{1} << 31;

/// Computes the results of `op` from the values of its operands (null where absent). nullopt if an
/// operand's value is unknown, or if there is no evaluation rule for this use of the operator.
/// `results` are the types from inferResults for the same operands.
///
/// float32 is computed in float32, and integers in int64 with wrap-around to the result type. Sums
/// are in ascending order. Folding therefore produces the bytes that an exact runtime would
/// produce. Integers that represent real numbers (Tensor::quant) are moved, quantized and
/// dequantized, but not used in arithmetic. Shape and Size need no value. Throws DataError if a
/// constant's data is damaged.
std::optional<std::vector<BlobRef>> evaluateOp(const Op& op, const KnownValues& values,
                                               std::span<const ResultType> results);

} // namespace tigris
