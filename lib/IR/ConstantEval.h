// Compile-time evaluation of operators on constants, in the arithmetic the operator's type prescribes.
#pragma once

#include "tigris/IR/ShapeInference.h"

#include <cstdint>

namespace tigris {

/// Bytes that one constant made at compile time may have: a table of the importer, or what constant folding
/// computes. Beyond, a small program would become a large file.
constexpr uint64_t MaxMadeBytes = uint64_t{16} << 20;
/// The same for all that one run of constant folding makes: models with many small generators end here.
constexpr uint64_t MaxMadeBytesInAll = uint64_t{256} << 20;
/// Multiply-accumulates of one run: some seconds.
constexpr uint64_t MaxFoldedMacs = uint64_t{1} << 31;

/// Results of `op` from the values of its operands (null where absent). nullopt when an operand's value
/// is not known or this operator, or this use of it, has no compile-time rule. `results` are the types
/// from inferResults, for the same operands.
///
/// float32 is computed in float32, integers in int64 with wrap-around to the result type, sums in
/// ascending order, so folding gives the bytes an exact runtime would give. Integers that stand for
/// reals (Tensor::quant) are moved, quantized and dequantized, never computed with. Shape and Size need
/// no value. Throws DataError when a constant's data is damaged.
std::optional<std::vector<BlobRef>> evaluateOp(const Op& op, const KnownValues& values,
                                               std::span<const ResultType> results);

} // namespace tigris
