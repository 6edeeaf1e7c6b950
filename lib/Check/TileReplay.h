// Replays the tiles of one stage, box by box, on a model of the fast arena.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

#include <map>

namespace tigris {

/// The error of a replay that exceeds `most` kernel calls.
Error tooManyCalls(uint64_t most);

/// Replays every tile of a tiled stage like the executor: boxes from the stored parts backward
/// through the ops, loads before the first op that reads them, stores after the op that writes
/// them.
class TileReplay {
public:
  struct Counts {
    std::map<TensorId, uint64_t> loaded;
    std::map<TensorId, uint64_t> stored;
    uint64_t kernelCalls = 0;
    /// Work on elements that more than one tile or stripe computes.
    uint64_t recomputeMacs = 0;
    /// Of the load with most of them: rows that a tile loads again, averaged over the cuts.
    /// Streamed stages have none.
    uint64_t haloRows = 0;
  };

  /// `mostCalls`: more kernel calls are an error as soon as they are counted, which bounds the time
  /// of a replay.
  TileReplay(const Graph& graph, const Stage& stage, uint64_t mostCalls = UINT64_MAX)
      : graph_(graph), stage_(stage), mostCalls_(mostCalls) {}

  /// Returns an error unless the stage follows the rules of the loader (Check/PartRules.h) and
  /// in every tile
  ///  - each op supports its output box and finds its operands' boxes in its buffers, complete;
  ///  - every buffer has capacity for its box, and the part that a reader needs is contiguous;
  ///  - an omitted load would have loaded the box that is already there;
  ///
  /// and the stored parts form whole tensors.
  Expected<Counts> run() const;

private:
  const Graph& graph_;
  const Stage& stage_;
  uint64_t mostCalls_;
};

} // namespace tigris
