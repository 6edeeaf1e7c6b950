// Searches the execution order with the lowest peak of live memory.
#pragma once

#include "tigris/Analysis/OrderProblem.h"

namespace tigris {

struct OrderResult {
  std::vector<size_t> order;
  /// The maximum of bytesDuring.
  uint64_t peak = 0;
  /// No order has a lower peak. For sections where the search was exhausted this is the peak found,
  /// otherwise sectionBound. The order is optimal if this equals the peak.
  uint64_t bound = 0;
};

/// Searches, section by section (orderSections), for an order with a lower peak than the best of
/// `known`, which holds at least one valid order.
///
/// The states of a section are the sets of ops that can have run (down-sets), visited by rising
/// peak; OrderSearch.cpp has an example. After `work` checks of an op in a state, a beam search
/// over the same states handles the remaining sections. Effort is counted, not timed, so results
/// are deterministic. Sections of more than 2048 ops keep the best known order.
OrderResult searchOrder(const OrderProblem& problem, std::span<const std::vector<size_t>> known,
                        size_t work = 4'000'000);

/// searchOrder from the graph's own order and the depth-first order, with the whole model as one
/// stage.
std::vector<OpId> leastPeakOrder(const Graph& graph, IoMode io, uint64_t align);

} // namespace tigris
