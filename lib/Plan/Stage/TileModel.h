// The model of a tiled stage: the cost of every cut of a run of ops into boxes.
//
// Access rules work axis by axis, so the boxes of a tile (i0, i1, i2, i3) are intersections of four
// boxes, each with one axis cut and the others whole. All figures are products of per-axis sums:
// the cost of a thousand tiles follows from a few dozen boxes.
//
// Example: 3x3 pooling with padding 1 over 8 rows and 8 columns, in 2 x 2 tiles. Along the rows two
// parts need 5 + 5 of 8 rows, along the columns 5 + 5 of 8 columns: the tiles load 10 x 10
// elements.
#pragma once

#include "tigris/Analysis/BoxAccess.h"
#include "tigris/Analysis/Lifetime.h"
#include "tigris/Plan/Layout/ArenaLayout.h"

#include <map>

namespace tigris {

using TileCounts = std::array<int64_t, Tiling::MaxRank>;

/// Access rules of the ops of a graph, resolved when first asked for.
class AccessTable {
public:
  explicit AccessTable(const Graph& graph) : graph_(&graph) {}
  const Graph& graph() const { return *graph_; }
  /// Null for an op that runs on whole tensors only.
  const BoxAccess* find(OpId op);

private:
  const Graph* graph_;
  std::map<OpId, std::optional<BoxAccess>> entries_;
};

/// A stored tensor may take the bytes of a loaded one, both whole in fast memory, if it begins at
/// least `bytes` below it: then no row is written over one that is still to be read or loaded, or
/// that the same call reads.
struct Displacement {
  TensorId load;
  TensorId store;
  uint64_t bytes = 0;
};

/// A cut and its cost.
struct TileCost {
  TileCounts tiles = {1, 1, 1, 1};
  /// Bytes copied to and from where the tensors lie whole.
  uint64_t loadBytes = 0;
  uint64_t storeBytes = 0;
  uint64_t kernelCalls = 0;
  uint64_t recomputeMacs = 0;
  /// Share of each buffer in loadBytes.
  std::vector<uint64_t> loads;
  /// Fast memory: one entry per buffer of the model, then the executor's state.
  std::vector<LiveBuffer> buffers;
  std::vector<uint32_t> reloadAxes;
  /// Streamed: bytes of a row of each buffer in the widest and in the narrowest stripe; none of
  /// what is not held by rows.
  struct RowBytes {
    uint64_t most = 0;
    uint64_t least = 0;
  };
  std::vector<RowBytes> rows;
  /// Streamed: which buffers take no bytes of the stage's own, as their tensors are worked on in
  /// place.
  std::vector<bool> inPlace;
  /// Streamed stages whose outermost extent is 1: one per pair.
  std::vector<Displacement> displacements;
};

class TileModel {
public:
  /// `loads` are the activations that come from outside, `stores` the results needed outside.
  /// nullopt when the ops cannot run on boxes together.
  static std::optional<TileModel> make(AccessTable& access, std::span<const OpId> ops,
                                       std::span<const TensorId> loads,
                                       std::span<const TensorId> stores);

  /// nullopt when the cut leaves an op without a well-formed box.
  std::optional<TileCost> cost(const TileCounts& tiles);
  /// Rows of the loaded tensors that two neighboring tiles both need, at most.
  uint64_t haloRows(const TileCost& cost);
  /// Number of parts that leave the least to do at a time on each axis.
  TileCounts finest();
  /// Most parts an axis may be cut into: elements of the shortest stored result along it, so that
  /// no tile has an empty part.
  int64_t extent(size_t axis) const { return extents_[axis]; }
  /// The largest number of parts, at most `most`, that the axis may be cut into.
  int64_t legalParts(size_t axis, int64_t most) const;
  bool isChain() const { return ops_.size() > 1; }

  /// The lowest layout of the buffers of `cost`.
  ArenaLayout layOut(const TileCost& cost, uint64_t align) const;
  uint64_t lowerBound(const TileCost& cost, uint64_t align) const;
  Tiling tiling(const TileCost& cost, const ArenaLayout& layout) const;
  /// Bytes loaded from the tensors that `counts` holds for.
  template <typename Predicate> uint64_t loadBytes(const TileCost& cost, Predicate counts) const {
    uint64_t bytes = 0;
    for (size_t i = 0; i < buffers_.size(); ++i)
      bytes += counts(buffers_[i].tensor) ? cost.loads[i] : 0;
    return bytes;
  }

private:
  struct Buffer {
    TensorId tensor;
    bool load = false;
    bool store = false;
    size_t firstOp = 0;
    size_t lastOp = 0;
    uint64_t elementSize = 1;
    Box whole;
  };
  struct Step {
    const BoxAccess* access = nullptr;
    /// Buffer per operand; SIZE_MAX for constants and absent ones.
    std::vector<size_t> inputs;
    size_t output = 0;
    uint64_t macs = 0;
  };
  /// What cutting one axis into some number of parts does to every buffer.
  struct AxisSummary {
    int64_t parts = 1;
    bool valid = true;
    /// Of the outermost axis of a chain: readers find what they want of a buffer in one piece in
    /// every part, while rows are not cut, and while they are.
    bool contiguous = true;
    bool contiguousRows = true;
    struct PerBuffer {
      std::array<int64_t, Box::MaxRank> largest = {1, 1, 1, 1};
      int64_t elements = 0; // sum over the parts
      int64_t parts = 0;    // those that are not empty
      bool depends = false;
    };
    std::vector<PerBuffer> buffers;
  };

  TileModel() = default;
  /// A chain's readers find what they want of a buffer in one piece: one index of the outermost
  /// axis, or all there is of the second; and all there is of the others.
  bool readsContiguously(const std::vector<Box>& boxes, bool cutsRows) const;
  bool readsRows(const std::vector<Box>& boxes) const;
  /// True when `holds` for each (part a reader wants, box of the buffer).
  template <typename Predicate>
  bool everyRead(const std::vector<Box>& boxes, Predicate holds) const;
  bool propagate(size_t axis, int64_t parts, int64_t index, std::vector<Box>& boxes) const;
  /// Whether what is read in a part, whose boxes these are, lies in one piece; false when no cut
  /// with it can be used.
  bool seeReads(size_t axis, const std::vector<Box>& boxes, AxisSummary& summary) const;
  const AxisSummary& summary(size_t axis, int64_t parts);

  std::vector<Step> ops_;
  std::vector<Buffer> buffers_;
  TileCounts extents_ = {1, 1, 1, 1};
  std::map<std::pair<size_t, int64_t>, AxisSummary> summaries_;
};

} // namespace tigris
