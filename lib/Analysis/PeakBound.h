// Lower bounds for the peak of every execution order of a part of a graph.
//
// Example: x (10 bytes) feeds a branch a1 (100), a2 (10) and a branch b1 (80), b2 (20); c joins
// them into y (10). D is the set of executed ops with the fewest live bytes just before an op runs:
//   op    D               live in D     the op writes    bound
//   a1    {}              x    10       100              110
//   b1    {}              x    10        80               90
//   a2    {a1}            x a1 110       10              120
//   b2    {b1}            x b1  90       20              110
//   c     {a1,a2,b1,b2}   a2 b2 30       10               40
// No order has a peak below 120. The order a1 a2 b1 b2 c has the peak 120, so it is optimal.
#pragma once

#include "tigris/Analysis/OrderProblem.h"

namespace tigris {

/// Just before an op v runs, every order has executed some set D: with each op its producers,
/// everything that v needs, and nothing that needs v. The D with the fewest live bytes is a minimum
/// cut. These bytes and those that v writes are in memory together, unless v writes over a buffer
/// that it reads last. Then all other readers of that buffer are in D, and its bytes count once.
/// The result is the largest such sum over the ops of the section.
///
/// `during` are the bytes of some order at each op (bytesDuring). An op's bound cannot exceed them,
/// so ops are tried from the largest on until none can improve the result. About `flows` cuts are
/// computed (each reduces it by one); with fewer cuts the result is smaller but still a bound.
uint64_t sectionBound(const OrderProblem& problem, OrderSection section,
                      std::span<const uint64_t> during, size_t& flows);

/// The same for groups of mutually independent ops, with all ops as one section. When the first op
/// of a group runs, no other op of the group has run; when the last runs, all others have. The
/// bound of a group is the larger of the two minimum cuts over its ops. `order` is some order;
/// `flows` as above.
uint64_t groupBound(const OrderProblem& problem, std::span<const std::vector<size_t>> groups,
                    std::span<const size_t> order, size_t& flows);

} // namespace tigris
