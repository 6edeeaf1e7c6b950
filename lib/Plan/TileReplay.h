// Replays the tiles of one stage, box by box, on a model of the fast arena.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

#include <map>

namespace tigris {

/// Runs every tile as the executor does: boxes from the stored parts back through the ops, loads before the
/// first op that reads them, stores after the op that makes them.
class TileReplay {
public:
  struct Counts {
    std::map<TensorId, uint64_t> loaded;
    std::map<TensorId, uint64_t> stored;
    uint64_t kernelCalls = 0;
  };

  TileReplay(const Graph& graph, const Stage& stage) : graph_(graph), stage_(stage) {}

  /// An error unless in every tile
  ///  - each op can run on the box it is to make, and finds its operands' boxes, complete, in its buffers;
  ///  - a buffer has room for its box, and what a reader wants of it is contiguous;
  ///  - no op writes over what it reads, and nothing over the executor's state;
  ///  - a load that is left out would have brought the box that is there;
  /// and the stored parts make up whole tensors.
  Expected<Counts> run() const;

private:
  const Graph& graph_;
  const Stage& stage_;
};

} // namespace tigris
