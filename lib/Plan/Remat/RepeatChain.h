// Chains of ops that could be executed again, so that their result need not be held.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Ops to repeat for the later readers of a tensor.
struct RepeatChain {
  /// The result of the last op, which need not be held between its readers.
  TensorId tensor;
  /// In execution order.
  std::vector<OpId> ops;
  /// The readers that use the repeat, in execution order.
  std::vector<OpId> readers;
  uint64_t macs = 0;
  /// The number of channels of the tensor to repeat, the others being held; 0: all
  /// (Plan/Remat/ChannelSplit.h).
  int64_t channels = 0;
};

/// The chains of the graph in its order with at most `mostMacs` multiply-accumulates: first those
/// of the largest tensors, and for one tensor the cheapest first. What a chain reads and what must
/// be held for it is smaller than the tensor. A more expensive chain of the same tensor needs less.
/// Constants need nothing, model inputs nothing in the caller's buffers, and tensors that other ops
/// read later nothing more.
std::vector<RepeatChain> repeatChains(const Graph& graph, IoMode io, uint64_t mostMacs);

/// Inserts the repeats before the first of the readers. Splits the chain before if it repeats only
/// some channels.
void insertRepeats(Graph& graph, const RepeatChain& chain);

/// Removes all repeats: their readers read the results of the originals. Returns their number.
size_t removeRepeats(Graph& graph);

} // namespace tigris
