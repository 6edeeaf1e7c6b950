// Which tensors share bytes, and during which steps of an order those bytes must exist.
//
// A step is an index into the order. Constants lie in flash and have no lifetime.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/IR/Plan.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tigris {

/// Tensors that can be one buffer because a Reshape only renames the bytes of the other.
///
/// A result stays a copy of its source when the source is a constant, or when both sides already
/// reach a model input or output: the interface gives each of those its own place. Reshapes are judged
/// in execution order.
class AliasSets {
public:
  AliasSets(const Graph& graph, std::span<const OpId> order);

  /// The first tensor of the set in execution order; the tensor itself when it is alone.
  TensorId root(TensorId tensor) const;
  /// The model input or output in the tensor's set; invalid when there is none.
  TensorId interfaceTensor(TensorId tensor) const;
  /// True for a Reshape whose result shares the bytes of its source: nothing is executed.
  bool isView(const Op& op) const;

private:
  std::map<TensorId, TensorId> parent_;
  std::map<TensorId, TensorId> interface_;
};

/// One set of tensors that share bytes, alive in steps [birth, death].
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

/// Buffers that need room in the fast arena when the whole model runs as one stage in `order`, by
/// birth, then by first mention.
///
/// An activation is born at its producer's step and dies at its last reader's; without readers it
/// lives for one step. Model inputs are born at step 0, because loads and the caller fill them before the
/// first op; model outputs die at the last step, because spills and the caller fetch them after it.
/// With IoMode::Caller sets that hold a model input or output have no place in the arena and are left
/// out; with IoMode::Slow an input nobody reads is never loaded and left out, too.
std::vector<LiveBuffer> computeLifetimes(const Graph& graph, std::span<const OpId> order,
                                         const AliasSets& aliases, IoMode io);

} // namespace tigris
