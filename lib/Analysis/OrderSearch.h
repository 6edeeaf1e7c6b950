// The execution order with the lowest peak.
#pragma once

#include "tigris/Analysis/OrderProblem.h"

namespace tigris {

struct OrderResult {
  std::vector<size_t> order;
  /// Largest of bytesDuring.
  uint64_t peak = 0;
  /// No order has a lower peak than this: of the sections, the peak found where the search was exhausted, and
  /// sectionBound elsewhere. Optimal when equal to the peak.
  uint64_t bound = 0;
};

/// Searches section by section (orderSections) for an order that needs less than the best of `known` (valid orders; at
/// least one) does there.
///
/// The states of a section are the sets of ops that can have been executed (down-sets), visited by rising peak. States
/// that need as much as the best order known are dropped, and a section whose best order meets its
/// sectionBound is left alone. Where an op fits below the peak so far and frees at least what it makes, no other
/// choice is tried: moved to the front of any order it raises nothing. When `work` checks of an op in a state are
/// used up, a beam search over the same states takes the rest; effort is counted, not timed.
OrderResult searchOrder(const OrderProblem& problem, std::span<const std::vector<size_t>> known,
                        size_t work = 4'000'000);

/// searchOrder from the graph's own order and the depth-first one, as a whole stage would run.
std::vector<OpId> leastPeakOrder(const Graph& graph, IoMode io, uint64_t align);

} // namespace tigris
