// What an execution order has to respect and what it costs, without anything else of a graph.
#pragma once

#include "tigris/Analysis/Lifetime.h"

namespace tigris {

/// Ops are numbers 0..n-1, which are themselves a valid order. A buffer is in memory from the op that makes it
/// (or from before the first) to the last that reads it (or to the end). During an op everything it reads and
/// makes is in memory.
struct OrderProblem {
  struct Buffer {
    uint64_t bytes = 0;
    /// None: it is there before the first op.
    std::optional<size_t> maker;
    /// Ops that read it, ascending, each once.
    std::vector<size_t> readers;
    bool staysToEnd = false;
  };
  std::vector<Buffer> buffers;
  /// Per op: those it depends on, ascending, each once.
  std::vector<std::vector<size_t>> producers;

  size_t ops() const { return producers.size(); }
};

/// The whole graph as one stage; op k is graph.order()[k]. Tensors joined by Reshapes count as one buffer, even
/// where a plan must copy because both ends belong to the interface (AliasSets): so in every order the live bytes
/// of the problem are at most the plan's. Sizes are rounded up to multiples of `align`.
OrderProblem makeOrderProblem(const Graph& graph, IoMode io, uint64_t align);

/// Bytes in memory during each op of `order`: entry k belongs to op k.
std::vector<uint64_t> bytesDuring(const OrderProblem& problem, std::span<const size_t> order);

/// Ops [begin, end) of which every order runs all before any later op and after all earlier ones.
struct OrderSection {
  size_t begin = 0;
  size_t end = 0;

  size_t size() const { return end - begin; }
};

/// Cuts at the ops that every other op either leads to or comes from (articulations): a chain is sections of one
/// op. In linear time.
std::vector<OrderSection> orderSections(const OrderProblem& problem);

} // namespace tigris
