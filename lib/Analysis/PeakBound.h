// What no execution order can go below: a certificate for the peak of a part of a graph.
#pragma once

#include "tigris/Analysis/OrderProblem.h"

namespace tigris {

/// For an op v, any order has executed some set D right before v: with each op its producers, all that v needs,
/// nothing that needs v. The least such D keeps in memory is a minimum cut; it and what v makes must be there
/// together. The result is the largest such sum over the ops of the section.
///
/// `during` are the bytes of some order at each op (bytesDuring): no op's bound can exceed them, so ops are tried
/// from the largest on until nothing can get better. At most `flows` cuts are computed (each reduces it by one);
/// with none left the result is lower, but still a bound.
uint64_t sectionBound(const OrderProblem& problem, OrderSection section,
                      std::span<const uint64_t> during, size_t& flows);

/// The same for groups of ops that do not depend on each other, of all ops as one section. Whichever op of a group
/// runs first, none of the others has run, and whichever runs last, all others have: the bound of a group is the
/// larger of the two least cuts over its ops. `order` is some order; `flows` as above.
uint64_t groupBound(const OrderProblem& problem, std::span<const std::vector<size_t>> groups,
                    std::span<const size_t> order, size_t& flows);

} // namespace tigris
