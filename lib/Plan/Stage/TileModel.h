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
#include "tigris/Analysis/HaloRows.h"
#include "tigris/Analysis/Lifetime.h"
#include "tigris/Plan/Stage/PartCost.h"

#include <map>

namespace tigris {

/// The access rules of a graph's ops, each created on first use.
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

/// A cut and its cost.
struct TileCost : PartCost {
  TileCounts tiles = {1, 1, 1, 1};
};

class TileModel {
public:
  /// `loads` are the activations from outside, `stores` the results that are needed outside.
  /// nullopt if the ops cannot run on boxes together.
  static std::optional<TileModel> make(AccessTable& access, std::span<const OpId> ops,
                                       std::span<const TensorId> loads,
                                       std::span<const TensorId> stores);

  /// nullopt if the cut leaves an op without a well-formed box.
  std::optional<TileCost> cost(const TileCounts& tiles);
  /// Maximum number of rows of a loaded tensor that two neighboring tiles both need.
  uint64_t haloRows(const TileCost& cost);
  /// The largest legal number of parts on each axis.
  TileCounts finest();
  /// Maximum number of parts of an axis: the elements of the shortest stored result along it, so
  /// that no tile has an empty part.
  int64_t extent(size_t axis) const { return extents_[axis]; }
  /// The largest number of parts, at most `most`, that the axis may be cut into.
  int64_t legalParts(size_t axis, int64_t most) const;
  bool isChain() const { return ops_.size() > 1; }

  /// The lowest layout of the buffers of `cost`.
  ArenaLayout layOut(const TileCost& cost, uint64_t align) const;
  uint64_t lowerBound(const TileCost& cost, uint64_t align) const;
  /// A lower bound for the bytes of the cuts that have these numbers of parts on all axes but one.
  /// `parts`: the number along that axis; nullopt: any. It follows from one part, so it takes far
  /// less time than the cost. nullopt if there is no such cut.
  std::optional<uint64_t> leastBytes(const TileCounts& tiles, size_t axis,
                                     std::optional<int64_t> parts, uint64_t align);
  TiledStage stage(const TileCost& cost, const ArenaLayout& layout) const;
  /// Bytes of the buffer of a tensor; 0 if it has none.
  uint64_t bytesOf(const TileCost& cost, TensorId tensor) const;
  /// Bytes loaded from the tensors for which `counts` returns true.
  template <typename Predicate> uint64_t loadBytes(const TileCost& cost, Predicate counts) const {
    uint64_t bytes = 0;
    for (size_t i = 0; i < buffers_.size(); ++i)
      bytes += counts(buffers_[i].tensor) ? cost.loads[i] : 0;
    return bytes;
  }

  /// Frees what is stored for later questions.
  void forget() { summaries_.clear(); }

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
    /// Per operand: index of its buffer; SIZE_MAX for constants and absent operands.
    std::vector<size_t> inputs;
    /// One per result; the first one is the result that others of a chain read.
    std::vector<size_t> outputs;
    uint64_t macs = 0;
  };
  /// The effect on every buffer of cutting one axis into some number of parts.
  struct AxisSummary {
    int64_t parts = 1;
    bool valid = true;
    /// Of the outermost axis of a chain: whether readers find what they need of a buffer in one
    /// piece in every part, first while rows are not cut, then while they are.
    bool contiguous = true;
    bool contiguousRows = true;
    struct PerBuffer {
      std::array<int64_t, Box::MaxRank> largest = {1, 1, 1, 1};
      int64_t elements = 0; // sum over the parts
      int64_t parts = 0;    // those that are not empty
      bool depends = false;
      HaloRows rows; // of a cut along the row axis
    };
    std::vector<PerBuffer> buffers;
  };

  TileModel() = default;
  /// Whether the readers of a chain find what they need of a buffer in one piece: one index of the
  /// outermost axis or, if rows are not cut, all of the second axis; and all of the other axes.
  bool readsContiguously(const std::vector<Box>& boxes, bool cutsRows) const;
  bool readsRows(const std::vector<Box>& boxes) const;
  /// Whether `holds` is true of each part that a reader needs, together with the box of its buffer.
  template <typename Predicate>
  bool everyRead(const std::vector<Box>& boxes, Predicate holds) const;
  bool propagate(size_t axis, int64_t parts, int64_t index, std::vector<Box>& boxes) const;
  /// Boxes that some part along the axis needs, whether it is allowed or not. Without a number of
  /// parts: what some part needs at least, however many there are.
  std::vector<Box> leastBoxes(size_t axis, std::optional<int64_t> parts) const;
  /// Widens the boxes of an op's operands to what a part of the op needs.
  static void widen(const Step& op, const Box& part, std::vector<Box>& boxes);
  /// The same, but returns false if there is no such part.
  static bool addNeeds(const Step& op, const Box& part, std::vector<Box>& boxes);
  /// Records whether the reads of one part, which has these boxes, are contiguous. Returns false if
  /// no cut with this part is possible.
  bool seeReads(size_t axis, const std::vector<Box>& boxes, AxisSummary& summary) const;
  const AxisSummary& summary(size_t axis, int64_t parts);
  /// The executor's records.
  LiveBuffer bookkeeping() const;

  std::vector<Step> ops_;
  std::vector<Buffer> buffers_;
  TileCounts extents_ = {1, 1, 1, 1};
  std::map<std::pair<size_t, int64_t>, AxisSummary> summaries_;
};

} // namespace tigris
