// Replays the steps of a streamed stage, row by row, on a model of the fast arena.
#pragma once

#include "tigris/Analysis/BoxAccess.h"
#include "tigris/Check/TileReplay.h"

#include <functional>

namespace tigris {

/// Callbacks for a stage's accesses to whole tensors (backing memory), in order: loads, stores, and
/// reads and writes of ops in place. They may return an error. Empty functions are not called.
struct BackingAccess {
  std::function<Status(TensorId, const Box&)> read;
  std::function<Status(TensorId, const Box&)> write;
};

/// The replay of streamed stages, the only ones it takes. Loads the rows of each step, runs every
/// op on its share of the rows it can compute, and tracks each row, with the columns of the stripe,
/// in its buffer.
class StreamReplay {
public:
  StreamReplay(const Graph& graph, const Stage& stage, uint64_t mostCalls = UINT64_MAX)
      : graph_(graph), stage_(stage), mostCalls_(mostCalls) {}

  /// Returns an error unless the stage follows the rules of the loader (Check/PartRules.h) and
  /// in every step
  ///  - each op finds the rows it needs in its buffers, complete and contiguous;
  ///  - every buffer has capacity for its rows;
  ///  - an omitted load would have loaded what is already there;
  ///  - a sink adds the rows that follow those already added, and finds its sums unchanged;
  ///  - an op in place does not overwrite what it reads;
  ///
  /// and in every stripe every row of every tensor is computed or loaded exactly once, so that the
  /// stored parts form whole tensors.
  Expected<TileReplay::Counts> run(const BackingAccess& backing = {}) const;

private:
  const Graph& graph_;
  const Stage& stage_;
  uint64_t mostCalls_;
};

} // namespace tigris
