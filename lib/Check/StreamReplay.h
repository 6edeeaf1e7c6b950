// Replays the steps of a streamed stage, row by row, on a model of the fast arena.
#pragma once

#include "tigris/Analysis/BoxAccess.h"
#include "tigris/Check/TileReplay.h"

#include <functional>

namespace tigris {

/// Told what a stage reads of tensors where they lie whole, and writes there, in the order in which it does: loads,
/// stores, and what ops read and make in place. May refuse. An empty function is not called.
struct HomeAccess {
  std::function<Status(TensorId, const Box&)> read;
  std::function<Status(TensorId, const Box&)> write;
};

/// As TileReplay, for streamed stages: loads what a step brings, lets every op make its share of what it can, and follows
/// each row, as wide as the stripe needs it, through its buffer.
class StreamReplay {
public:
  StreamReplay(const Graph& graph, const Stage& stage, uint64_t mostCalls = UINT64_MAX)
      : graph_(graph), stage_(stage), mostCalls_(mostCalls) {}

  /// An error unless the tiling follows the rules of the loader (Plan/TilingRules.h) and in every step
  ///  - each op finds the rows it needs, complete and contiguous, in its buffers;
  ///  - a buffer has room for the rows it holds;
  ///  - a load that is left out would have brought what is there;
  ///  - a sink adds the rows that follow those it has added, and finds its sums as it left them;
  ///  - no op that works in place writes over what it reads;
  /// and in every stripe every row of every tensor is made or loaded exactly once, so that the stored parts make up
  /// whole tensors.
  Expected<TileReplay::Counts> run(const HomeAccess& homes = {}) const;

private:
  const Graph& graph_;
  const Stage& stage_;
  uint64_t mostCalls_;
};

} // namespace tigris
