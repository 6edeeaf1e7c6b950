// The constraints and costs of execution orders, separate from the graph.
#pragma once

#include "tigris/Analysis/Lifetime.h"

namespace tigris {

/// Ops are numbers 0..n-1; this order is valid. A buffer is in memory from the op that writes it,
/// its maker, to the last op that reads it. A buffer without a maker is in memory from the start;
/// `staysToEnd` extends its life to the end. During an op everything that it reads and writes is in
/// memory, except that what it writes may take the place of what it reads last.
struct OrderProblem {
  struct Buffer {
    uint64_t bytes = 0;
    /// nullopt: the buffer exists before the first op.
    std::optional<size_t> maker;
    /// Ops that read the buffer, ascending, without duplicates.
    std::vector<size_t> readers;
    bool staysToEnd = false;
    /// Buffers of the same size that the maker reads. If it is the last to read one of them, this
    /// buffer takes its place.
    std::vector<size_t> over = {};
  };
  std::vector<Buffer> buffers;
  /// Per op: the ops it depends on, ascending, without duplicates.
  std::vector<std::vector<size_t>> producers;

  size_t ops() const { return producers.size(); }
};

/// The whole graph as one stage; op k is graph.order()[k]. Tensors joined by Reshapes are one
/// buffer, even where a plan must copy because both ends belong to the interface (AliasSets). The
/// live bytes of the problem are therefore at most the plan's in every order. Sizes are rounded up
/// to multiples of `align`.
OrderProblem makeOrderProblem(const Graph& graph, IoMode io, uint64_t align);

/// Bytes in memory during each op of `order`: entry k is for op k.
std::vector<uint64_t> bytesDuring(const OrderProblem& problem, std::span<const size_t> order);

/// Ops [begin, end) that every order runs before all later ops and after all earlier ones.
struct OrderSection {
  size_t begin = 0;
  size_t end = 0;

  size_t size() const { return end - begin; }
};

/// Splits at articulations, the ops that depend on or are needed by every other op. In a chain,
/// each section is one op. Takes linear time.
std::vector<OrderSection> orderSections(const OrderProblem& problem);

} // namespace tigris
