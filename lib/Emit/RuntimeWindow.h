// Sliding windows within the limits of the runtime.
#pragma once

#include "tigris/Emit/LoweringContext.h"
#include "tigris/IR/ShapeInference.h"

namespace tigris {

/// UnsupportedOp where a spatial dimension of the operand or the result exceeds
/// TIGRIS_SPATIAL_LIMIT.
Status checkSpatialSizes(const LoweringContext& context, const Op& op);

/// UnsupportedOp where a pool has more than TIGRIS_SPATIAL_LIMIT taps.
Status checkTaps(const Op& op, int64_t taps);

/// The window of a convolution or pool. UnsupportedOp where a pad is negative, or where a spatial
/// dimension, the span of a dilated kernel or the number of taps of a pool exceeds
/// TIGRIS_SPATIAL_LIMIT.
Expected<Window> runtimeWindow(const LoweringContext& context, const Op& op);

} // namespace tigris
