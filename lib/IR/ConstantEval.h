// Compile-time evaluation of operators on constants, in the arithmetic the operator's type prescribes.
#pragma once

#include "tigris/IR/ShapeInference.h"

namespace tigris {

/// Results of `op` from the values of its operands (null where absent). nullopt when this operator
/// has no compile-time rule. `results` are the types from inferResults.
///
/// float32 is computed in float32, integers in int64 with wrap-around to the result type, so folding
/// gives the bytes an exact runtime would give.
std::optional<std::vector<BlobRef>> evaluateOp(const Op& op, const KnownValues& values,
                                               std::span<const ResultType> results);

} // namespace tigris
