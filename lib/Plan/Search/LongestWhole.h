// The longest stage of whole tensors that fits.
#pragma once

#include "tigris/Plan/Stage/StageDrafter.h"

namespace tigris {

/// Ops [begin, end) on whole tensors, without residents; nullopt if they need more than `budget`
/// bytes.
std::optional<StageDraft> fittingWhole(const StageDrafter& drafter, size_t begin, size_t end,
                                       uint64_t budget);

/// The longest such stage from `begin` that ends at `last` or before; nullopt if none fits. The
/// time for long stages is in proportion to their ops.
std::optional<StageDraft> longestWhole(const StageDrafter& drafter, size_t begin, size_t last,
                                       uint64_t budget);

} // namespace tigris
