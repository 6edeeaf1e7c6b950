// The memory timeline as the specification sweeps it: at each step, tensors that die are freed
// before those that are born are allocated.
#pragma once

#include "tigris/Plan/Stage/OrderView.h"

namespace tigris {

/// The largest sum of live bytes of ops [begin, end) as a stage. Tensors from outside are live from
/// before the first op to their last reader in the stage, results to their last reader or, if they
/// are needed after the stage, to its end. A result may take the bytes of an operand that is read
/// for the last time, so a stage that runs needs as much or more. Never decreases as `end` grows.
///
/// Example: three ops from one tensor of 400 bytes to the next have a peak of 400 bytes.
uint64_t specifiedPeak(const OrderView& view, size_t begin, size_t end);

} // namespace tigris
