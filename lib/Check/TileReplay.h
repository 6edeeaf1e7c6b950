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

  /// `mostCalls`: kernel calls that the plan claims. More are an error as soon as they are counted, so that the time of a
  /// replay is that of the plan.
  TileReplay(const Graph& graph, const Stage& stage, uint64_t mostCalls = UINT64_MAX)
      : graph_(graph), stage_(stage), mostCalls_(mostCalls) {}

  /// An error unless the tiling follows the rules of the loader (Plan/TilingRules.h) and in every tile
  ///  - each op can run on the box it is to make, and finds its operands' boxes, complete, in its buffers;
  ///  - a buffer has room for its box, and what a reader wants of it is contiguous;
  ///  - a load that is left out would have brought the box that is there;
  /// and the stored parts make up whole tensors.
  Expected<Counts> run() const;

private:
  const Graph& graph_;
  const Stage& stage_;
  uint64_t mostCalls_;
};

} // namespace tigris
