// The last resort: ops that use some of their tensors where they lie, in slow memory.
#pragma once

#include "tigris/Plan/Stage/StageDraft.h"

namespace tigris {

/// Ops [begin, end) on whole tensors, some of them in slow memory (overflow), beside the residents;
/// in `budget` bytes, however few.
///
/// A tensor in fast memory is copied once; one in slow memory costs its bytes each time that an op
/// reads or writes it, as often as the kernel does (operandReads). Tensors are placed in fast
/// memory in the order of bytes saved per byte, each if it still fits; those that save nothing are
/// not. The traffic in `stats` counts every tensor in slow memory once per op that uses it, as the
/// runtime does, whatever the kernel does.
///
/// Loads and spills without a placement overflow. They include tensors that ops of the stage
/// produce for other ops of the stage only. A Reshape from or to such a tensor is a copy.
StageDraft draftOverflow(const OrderView& view, size_t begin, size_t end, uint64_t budget,
                         const Residents& residents);

} // namespace tigris
