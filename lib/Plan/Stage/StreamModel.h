// The model of a streamed stage: the rows that its buffers contain in each step, and its cost.
//
// Example: a 3x3 convolution with padding 1 over 4 rows, in 4 steps. R: rows of the operand in its
// buffer, W: the row of the result that the step computes.
//
//   step  loads   R        W
//      0  row 0   0        -         row 0 of the result needs rows 0 and 1
//      1  row 1   0 1      0
//      2  row 2   0 1 2    1
//      3  row 3   1 2 3    2
//      4  -       2 3      3         a step without loads finishes the result
#pragma once

#include "tigris/Plan/Stage/RowAccess.h"

#include <functional>
#include <set>
#include <tuple>

namespace tigris {

/// A stored tensor may share bytes with a loaded one, both whole in fast memory, if it begins at
/// least `bytes` below it. Then no row overwrites a row that is still to be read or loaded, or that
/// the same call reads.
struct Displacement {
  TensorId load;
  TensorId store;
  uint64_t bytes = 0;
};

/// Numbers of steps and stripes and their cost.
struct StreamCost : PartCost {
  int64_t steps = 1;
  int64_t stripes = 1;
  /// Bytes of a row of each buffer in the widest and in the narrowest stripe; 0 for a buffer that
  /// is not held by rows.
  struct RowBytes {
    uint64_t most = 0;
    uint64_t least = 0;
  };
  std::vector<RowBytes> rows;
  /// Which buffers take no bytes of the stage's own, as their tensors are worked on in place.
  std::vector<bool> inPlace;
  /// One per pair; none with stripes.
  std::vector<Displacement> displacements;
};

/// A chain by rows: every op needs a window of rows of its operands, and windows only move forward.
/// Each row is loaded or computed once. A step loads or computes at most the rows of a tensor
/// divided by the number of steps, rounded up, so that buffers do not grow at the end, where
/// windows stop moving. Steps without loads follow until all rows are computed. A buffer that keeps
/// rows from step to step (a rolling buffer) has its bytes for the whole stage, any other buffer
/// only between its first and last op. In more than one step, a reduction over all rows is a sink
/// if its sums take fewer bytes than the rows, and if no op needs both its operand and its result.
///
/// If rows are too wide, the chain runs once per stripe of columns (indices of axis 2), without the
/// other columns. A stripe has an equal share of the columns of each stored result, and those
/// columns of all other tensors that this share needs. Columns near the border of two stripes are
/// loaded or computed for both.
///
/// After the last op of a step has read a buffer, the rows at its start that it does not keep are
/// free until the next step begins. New rows of a lower buffer may use these bytes. The rolling
/// buffers of a chain are therefore staggered, the last one lowest, and take the rows they keep and
/// the new rows of one step.
///
/// In one stripe, ops work in place on loads and stores that are whole in fast memory, without
/// buffers. An op whose operand has more columns than the op needs in the stripe runs row by row,
/// because only a single row of these columns is contiguous.
class StreamModel {
public:
  /// nullopt if an op cannot run row by row. Refers to the table.
  static std::optional<StreamModel> make(RowTable& table, std::span<const OpId> ops,
                                         std::span<const TensorId> loads,
                                         std::span<const TensorId> stores);

  /// The cost of `steps` steps in each of `stripes` stripes. `whole`: tensors that are whole in
  /// fast memory. nullopt if the ops cannot run in that many stripes; one stripe is always
  /// possible.
  std::optional<StreamCost> cost(int64_t steps, int64_t stripes,
                                 const std::set<TensorId>& whole = {}) const;
  /// The largest useful number of steps: the rows of the highest tensor that is stored or loaded
  /// row by row.
  int64_t mostSteps() const { return mostSteps_; }
  /// Numbers of stripes worth trying, ascending from 1. Each makes stripes narrower by about a
  /// fifth.
  std::vector<int64_t> stripeCounts() const;
  /// The fewest steps, from `least` on, that fit the bytes that `capacity` grants them; nullopt if
  /// none do. `first`: the number to try first, which is taken if it fits. `lowest`: whether
  /// mostSteps() fit follows from height() instead of heightWithin().
  std::optional<StreamCost> search(const std::function<uint64_t(const StreamCost&)>& capacity,
                                   uint64_t align, int64_t stripes,
                                   const std::set<TensorId>& whole = {}, bool lowest = false,
                                   int64_t least = 1, int64_t first = 1) const;

  uint64_t lowerBound(const StreamCost& cost) const;
  /// A lower bound for the bytes of mostSteps() steps, whatever tensors are whole in fast memory.
  /// It follows from the columns of one stripe, so it takes far less time than the cost. Without a
  /// number of stripes: for any above one.
  uint64_t leastBytes(std::optional<int64_t> stripes) const;
  /// The lowest that is found.
  ArenaLayout layOut(const StreamCost& cost, uint64_t align) const;
  /// The height of the lowest layout, which is searched for only once.
  uint64_t height(const StreamCost& cost, uint64_t align) const;
  /// The height of the first layout within the budget that is found, not always the lowest. nullopt
  /// if the search gives up. With fewer steps than mostSteps() it is short. The answer does not
  /// depend on earlier ones.
  std::optional<uint64_t> heightWithin(const StreamCost& cost, uint64_t align,
                                       uint64_t budget) const;
  StreamedStage stage(const StreamCost& cost, const ArenaLayout& layout) const;
  template <typename Predicate> uint64_t loadBytes(const StreamCost& cost, Predicate counts) const {
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
    /// Whether the tensor is a load of which every row of every reader needs all rows.
    bool whole = false;
    size_t firstOp = 0;
    size_t lastOp = 0;
    /// One row, at one index of the outermost axis.
    Box row;
    int64_t rows = 1;
    /// Bytes of this row, and of one of its columns.
    uint64_t rowSize = 1;
    uint64_t columnSize = 1;
    /// How often the buffer is filled from its start: the outermost extent, or 1 for tensors that
    /// do not follow the outermost axis.
    uint64_t rounds = 1;
    /// Bytes of the sums if the tensor is the result of a sink; otherwise 0.
    uint64_t sumBytes = 0;

    void setRow(const Box& box, uint64_t elementBytes);
    int64_t columns() const { return row.axes[2].size(); }
    uint64_t columnBytes() const { return columnSize; }
    uint64_t rowBytes() const { return rowSize; }
  };
  struct Input {
    size_t buffer = 0;
    const RowAccess::Input* access = nullptr;
  };
  struct Step {
    const BoxAccess* rules = nullptr;
    std::vector<Input> inputs;
    size_t output = 0;
    uint64_t macs = 0;
    /// Extra operand rows to buffer before the op computes a row.
    int64_t wait = 0;
  };
  /// The effect of a number of steps on rows; it does not depend on stripes.
  struct Rows {
    struct PerBuffer {
      int64_t most = 0; // rows held at a time
    };
    std::vector<PerBuffer> buffers;
    /// A buffer in one step, counted from its start: rows kept from earlier steps, rows held at the
    /// end of the step, and rows released then.
    struct Held {
      uint16_t kept = 0;
      uint16_t all = 0;
      uint16_t gone = 0;
      bool operator==(const Held&) const = default;
    };
    /// All buffers in each step, without duplicates.
    std::vector<std::vector<Held>> steps;
    /// Indices of the steps that no other step covers. This leaves out most steps in which buffers
    /// fill or drain.
    std::vector<size_t> tight;
    /// Of all of them, to find duplicates.
    std::vector<size_t> hashes;
    bool isNew(const std::vector<Held>& step);
    /// Adds the step unless it is a duplicate.
    void add(const std::vector<Held>& step);
    /// Drops all other steps, which only layouts need.
    void keepTight();
    /// Per op: the number of steps in which it has rows to compute.
    std::vector<uint64_t> calls;
    /// Of pairs whose load is used in place, and of pairs whose load is copied.
    std::vector<Displacement> inPlace;
    std::vector<Displacement> copied;
  };
  /// The effect of a number of stripes on columns; it does not depend on steps.
  struct Columns {
    struct PerBuffer {
      int64_t most = 0; // in one stripe
      int64_t least = 0;
      int64_t total = 0;   // over all stripes
      bool narrow = false; // fewer than all columns in some stripe
    };
    std::vector<PerBuffer> buffers;
    /// Per op: the number of stripes in which it runs row by row.
    std::vector<uint64_t> single;
  };

  /// Rows of a buffer: those before `end` are present; those from `fresh` on are new in this step.
  struct Progress {
    int64_t fresh = 0;
    int64_t end = 0;
  };

  /// A load, and a store that may take its bytes. Both have as many images.
  struct Pair {
    size_t load;
    size_t store;
    /// The readers of the load: index of the op, and its input.
    std::vector<std::pair<size_t, const RowAccess::Input*>> readers;
  };

  /// Bytes of a buffer in each step, counted from its start: kept from earlier steps, held at the
  /// end of the step, and released then.
  struct Extents {
    struct Held {
      uint64_t kept = 0;
      uint64_t all = 0;
      uint64_t gone = 0;
    };
    /// Empty for a buffer without bytes.
    std::vector<Held> steps;
    /// The first and the last op of a step during which all rows are held.
    size_t first = 0;
    size_t last = 0;
  };

  /// What is known about the layouts of one cost.
  struct Heights {
    /// Of ever lower layouts, in the order in which the search finds them, to the lowest for which
    /// it was asked.
    std::vector<uint64_t> descending;
    /// The largest budget for which the search gives up, as far as known.
    uint64_t refused = 0;
    /// Of the lowest layout, if asked for.
    std::optional<uint64_t> least;
  };

  StreamModel() = default;
  Heights& known(const StreamCost& cost, uint64_t align) const;
  /// As layOutSpaced.
  ArenaLayout layOut(const StreamCost& cost, uint64_t align, uint64_t enough, bool isQuick,
                     std::vector<uint64_t>* heights) const;
  static Extents::Held extent(const StreamCost::RowBytes& row, const Rows::Held& held);
  /// Whether the buffer is held by rows. False if it stays for the whole stage or takes no bytes.
  bool hasRows(const StreamCost& cost, size_t buffer) const;
  Extents extents(const StreamCost& cost, const Rows& rows, size_t buffer) const;
  static uint64_t clearance(const Extents& below, const Extents& above);
  /// In a single step all rows are present, so no sums are needed.
  static bool hasSums(int64_t steps) { return steps > 1; }
  void findSinks(std::span<const RowAccess* const> accesses);
  bool isReadAfter(size_t op) const;
  void findWaits();
  int64_t findWait(size_t op) const;
  std::optional<int64_t> lag(size_t op, size_t reader) const;
  void addPairs();
  void addDisplacements(const std::vector<Progress>& progress, Rows& rows) const;
  std::optional<int64_t> nextRead(const std::vector<Progress>& progress, const Pair& pair) const;
  Rows simulate(int64_t steps) const;
  /// The same, computed once, with the tight steps only.
  const Rows& rows(int64_t steps) const;
  const std::optional<Columns>& columns(int64_t stripes) const;
  std::optional<Columns> findColumns(int64_t stripes) const;
  /// Columns of every buffer in some stripe at least, whether the ops can run in it or not.
  std::vector<int64_t> leastColumns(std::optional<int64_t> stripes) const;
  /// The boxes that ops need of their operands for one row, op by op.
  std::vector<Box> needsOfRows() const;
  /// Computes the columns of every buffer in one stripe, and whether each op must run row by row.
  /// Returns false if an op cannot. `uncut`: needsOfRows().
  bool stripe(int64_t stripes, int64_t index, const std::vector<Box>& uncut,
              std::vector<Range>& held, std::vector<bool>& single) const;

  std::vector<Step> ops_;
  std::vector<Buffer> buffers_;
  std::vector<Pair> pairs_;
  int64_t outer_ = 1;
  int64_t mostSteps_ = 1;
  mutable std::map<int64_t, Rows> rowsOf_;
  /// By the alignment, the steps, the stripes, and the buffers in place.
  mutable std::map<std::tuple<uint64_t, int64_t, int64_t, std::vector<bool>>, Heights> heights_;
  mutable std::map<int64_t, std::optional<Columns>> columnsOf_;
};

} // namespace tigris
