// How the fast memory of a budget is divided.
#pragma once

#include "tigris/Support/MathUtils.h"

#include <algorithm>

namespace tigris {

/// The one place that knows what of the granted fast memory stages may use.
struct FastBudget {
  /// Bytes the user grants.
  uint64_t granted = 0;
  /// Bytes of these that the plan leaves free (PlanOptions::reserve).
  uint64_t reserve = 0;
  /// Bytes of these that kernels use while they run (Target/KernelScratch.h).
  uint64_t scratch = 0;

  /// What a plan with its scratch may take.
  uint64_t forPlan() const { return granted - std::min(granted, reserve); }
  /// What stages may take: a multiple of the alignment where scratch lies behind them.
  uint64_t forStages(uint64_t align) const {
    const uint64_t left = forPlan() - std::min(forPlan(), scratch);
    return scratch == 0 ? left : left / align * align;
  }
  /// What has to be left of the reserve so that stages may take `bytes`.
  uint64_t neededFor(uint64_t bytes, uint64_t align) const {
    return scratch == 0 ? bytes : alignUp(bytes, align) + scratch;
  }
};

} // namespace tigris
