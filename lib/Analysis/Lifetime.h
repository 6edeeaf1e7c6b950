// Lifetime analysis: which tensors share bytes, and during which steps of an order those bytes must
// exist.
//
// A step is an index into the order. Constants are in flash and have no lifetime.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/IR/Plan.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tigris {

/// Sets of tensors that share one buffer because Reshapes only rename its bytes.
///
/// A Reshape's result is a copy of its source if the source is a constant, or if both already
/// belong to a model input or output, since each of those has a place of its own. Reshapes are
/// considered in execution order.
class AliasSets {
public:
  AliasSets(const Graph& graph, std::span<const OpId> order);

  /// The first tensor of the set in execution order; the tensor itself if it is alone.
  TensorId root(TensorId tensor) const;
  /// The model input or output in the tensor's set; invalid if there is none.
  TensorId interfaceTensor(TensorId tensor) const;
  /// Whether the op is a Reshape whose result shares the bytes of its source, so that nothing is
  /// executed.
  bool isView(const Op& op) const;

private:
  std::map<TensorId, TensorId> parent_;
  std::map<TensorId, TensorId> interface_;
};

/// One set of tensors that share bytes, live in steps [birth, death].
struct LiveBuffer {
  /// In execution order.
  std::vector<TensorId> tensors;
  uint64_t bytes = 0;
  uint32_t birth = 0;
  uint32_t death = 0;

  bool overlaps(const LiveBuffer& other) const {
    return birth <= other.death && other.birth <= death;
  }
};

/// Buffers in the fast arena when the whole model runs as one stage in `order`, sorted by birth,
/// then by first use.
///
/// An activation is born at its producer's step and dies at its last reader's; without readers it
/// lives for one step. Model inputs are born at step 0, because loads and the caller fill them
/// before the first op. Model outputs die at the last step, because spills and the caller read them
/// after it. With IoMode::Caller, sets with a model input or output are not in the arena and are
/// omitted. With IoMode::Slow, an input without readers is never loaded and is omitted.
std::vector<LiveBuffer> computeLifetimes(const Graph& graph, std::span<const OpId> order,
                                         const AliasSets& aliases, IoMode io);

} // namespace tigris
