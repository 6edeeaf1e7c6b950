// How the fast memory of a budget is divided.
#pragma once

#include "tigris/Support/MathUtils.h"

#include <algorithm>

namespace tigris {

/// Divides the granted fast memory into reserve, scratch and memory for stages. No other code does
/// this.
struct FastBudget {
  /// Bytes the user grants.
  uint64_t granted = 0;
  /// Bytes of these that the plan leaves free (PlanOptions::reserve).
  uint64_t reserve = 0;
  /// Bytes of these that kernels use while they run (Target/KernelScratch.h).
  uint64_t scratch = 0;

  /// Bytes for the plan, including scratch.
  uint64_t forPlan() const { return granted - std::min(granted, reserve); }
  /// Bytes for stages; a multiple of the alignment if scratch follows them.
  uint64_t forStages(uint64_t align) const {
    const uint64_t left = forPlan() - std::min(forPlan(), scratch);
    return scratch == 0 ? left : left / align * align;
  }
  /// Bytes that must be granted, not counting the reserve, so that stages may use `bytes`.
  uint64_t neededFor(uint64_t bytes, uint64_t align) const {
    return scratch == 0 ? bytes : alignUp(bytes, align) + scratch;
  }
};

} // namespace tigris
