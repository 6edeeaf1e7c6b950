// A run of ops as one streamed stage: which rows its buffers hold in every step, and what that costs.
#pragma once

#include "tigris/Plan/Stage/RowAccess.h"

#include <functional>
#include <set>
#include <tuple>

namespace tigris {

/// Row-wise view of a chain: every op needs a window of rows of its operands that only moves forward. Each row
/// is loaded or made once, and in a step no more of a tensor than its rows divided by the steps, rounded up, so that
/// buffers do not grow at the end, where windows stop moving; steps without loads follow until all is made. A buffer that
/// keeps rows from step to step (a rolling buffer) has its bytes for the whole stage, any other only between its first
/// and last op. In more than one step, an average over all rows that is the only reader of its operand is a sink, where
/// its sums take less than the rows would.
///
/// Where rows are too wide the chain runs once per stripe of columns (indices of axis 2), as if the rest of the
/// columns were not there: a stripe has an equal share of the columns of each stored result, and of everything
/// else the columns these need, so that columns near the border of two stripes are loaded or made for both.
/// When the last op of a step has read a buffer, the rows it will not keep leave their bytes, at its start, to what comes
/// later in the step, until the next step begins: new rows of a buffer that lies below may reach into them. So the rolling
/// buffers of a chain lie like tiles of a roof, the last one lowest, and take the rows they keep and one step's new rows.
///
/// In one stripe, loads and stores that are whole in fast memory are worked on in place, and need no buffer.
/// An op whose operand has more columns than it needs in the stripe finds them in one piece in a single row
/// only; it then runs row by row.
class StreamModel {
public:
  /// nullopt when an op cannot run row by row. Refers to the table.
  static std::optional<StreamModel> make(RowTable& table, std::span<const OpId> ops,
                                         std::span<const TensorId> loads,
                                         std::span<const TensorId> stores);

  /// The cost of working in `steps` steps in each of `stripes` stripes; cost.tiles is {outermost extent, steps,
  /// stripes, 1}. `whole` are the tensors that are so in fast memory. nullopt when the ops cannot run in so many
  /// stripes; they always can in one.
  std::optional<TileCost> cost(int64_t steps, int64_t stripes,
                               const std::set<TensorId>& whole = {}) const;
  /// Steps that are worth trying: rows of the highest tensor that is loaded row by row or stored.
  int64_t mostSteps() const { return mostSteps_; }
  /// Numbers of stripes worth trying, ascending from 1; each leaves stripes narrower by a fifth or so.
  std::vector<int64_t> stripeCounts() const;
  /// The cut into stripes with the fewest steps that fits the bytes `room` allows it; nullopt when none does.
  std::optional<TileCost> search(const std::function<uint64_t(const TileCost&)>& room,
                                 uint64_t align, int64_t stripes,
                                 const std::set<TensorId>& whole = {}) const;

  uint64_t lowerBound(const TileCost& cost) const;
  /// The lowest that is found, or the first of no more than `enough` bytes.
  ArenaLayout layOut(const TileCost& cost, uint64_t align, uint64_t enough = 0,
                     bool isQuick = false) const;
  /// Of the lowest, found once.
  uint64_t height(const TileCost& cost, uint64_t align) const;
  /// Of a layout within the budget, not always the lowest. nullopt when none is found: in fewer steps than the most after
  /// a short search only.
  std::optional<uint64_t> heightWithin(const TileCost& cost, uint64_t align, uint64_t budget) const;
  Tiling tiling(const TileCost& cost, const ArenaLayout& layout) const;
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
    /// Loads that every row of every reader needs completely.
    bool whole = false;
    size_t firstOp = 0;
    size_t lastOp = 0;
    /// One row of one index of the outermost axis.
    Box row;
    int64_t rows = 1;
    /// Bytes of that, and of one of its columns.
    uint64_t rowSize = 1;
    uint64_t columnSize = 1;
    /// Times the buffer is filled from its start: the outermost extent, or 1 for what does not follow it.
    uint64_t rounds = 1;
    /// Of a sink's result.
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
    /// More rows of its operands than it needs that have come before it makes a row.
    int64_t wait = 0;
  };
  /// What a number of steps does to rows. Stripes have no part in it.
  struct Rows {
    struct PerBuffer {
      int64_t most = 0; // held at a time
    };
    std::vector<PerBuffer> buffers;
    /// Of a buffer in one step, from its start: rows kept from before, rows held in the end, and rows to go then.
    struct Held {
      uint16_t kept = 0;
      uint16_t all = 0;
      uint16_t gone = 0;
      bool operator==(const Held&) const = default;
    };
    /// Of all buffers in each step; equal steps are left out.
    std::vector<std::vector<Held>> steps;
    /// Of these, without some that hold no more of anything than another one: buffers fill, and run out in the end.
    std::vector<size_t> tight;
    void add(const std::vector<Held>& step);
    /// Steps in which each op has something to do.
    std::vector<uint64_t> calls;
    /// Of loads that are worked on in place, and of those that are copied.
    std::vector<Displacement> inPlace;
    std::vector<Displacement> copied;
  };
  /// What a number of stripes does to columns. Rows have no part in it.
  struct Columns {
    struct PerBuffer {
      int64_t most = 0; // of a stripe
      int64_t least = 0;
      int64_t total = 0;   // of all of them
      bool narrow = false; // not all there are, in some stripe
    };
    std::vector<PerBuffer> buffers;
    /// Stripes in which each op runs row by row.
    std::vector<uint64_t> single;
  };

  /// Rows of a buffer: those before `end` have come, those from `fresh` on in this step.
  struct State {
    int64_t fresh = 0;
    int64_t end = 0;
  };

  /// A load and a store that may take its bytes.
  struct Pair {
    size_t load;
    size_t store;
    /// Of the load: the op and its input.
    std::vector<std::pair<size_t, const RowAccess::Input*>> readers;
  };

  /// Bytes of a buffer in each step, from its start: kept from before, held in the end, and to go then.
  struct Extents {
    struct Held {
      uint64_t kept = 0;
      uint64_t all = 0;
      uint64_t gone = 0;
    };
    /// None of a buffer without bytes.
    std::vector<Held> steps;
    /// Ops between which all are held.
    size_t first = 0;
    size_t last = 0;
  };

  /// Of layouts so far; `isLeast`: there will be none lower.
  struct Height {
    uint64_t bytes = UINT64_MAX;
    bool isLeast = false;
    /// The most bytes for which none low enough was found.
    uint64_t refused = 0;
  };

  StreamModel() = default;
  Height& known(const TileCost& cost, uint64_t align) const;
  static Extents::Held extent(const TileCost::RowBytes& row, const Rows::Held& held);
  /// False of what stays for the whole stage, or takes no bytes.
  bool hasRows(const TileCost& cost, size_t buffer) const;
  Extents extents(const TileCost& cost, size_t buffer) const;
  static uint64_t clearance(const Extents& below, const Extents& above);
  /// In one step all rows are there.
  static bool hasSums(int64_t steps) { return steps > 1; }
  void findSinks(std::span<const RowAccess* const> accesses);
  void findWaits();
  int64_t findWait(size_t op) const;
  std::optional<int64_t> lag(size_t op, size_t reader) const;
  void addPairs();
  void addDisplacements(const std::vector<State>& states, Rows& rows) const;
  std::optional<int64_t> nextRead(const std::vector<State>& states, const Pair& pair) const;
  const Rows& rows(int64_t steps) const;
  const std::optional<Columns>& columns(int64_t stripes) const;
  std::optional<Columns> findColumns(int64_t stripes) const;
  /// What each op needs of each of its operands for a row, op by op.
  std::vector<Box> needsOfRows() const;
  /// Columns of every buffer in one stripe, and whether each op has to run row by row; false when an op cannot. `uncut`:
  /// needsOfRows.
  bool stripe(int64_t stripes, int64_t index, const std::vector<Box>& uncut,
              std::vector<Range>& held, std::vector<bool>& single) const;

  std::vector<Step> ops_;
  std::vector<Buffer> buffers_;
  std::vector<Pair> pairs_;
  int64_t outer_ = 1;
  int64_t mostSteps_ = 1;
  mutable std::map<int64_t, Rows> rowsOf_;
  /// By the alignment, steps and stripes, and by what is worked on in place.
  mutable std::map<std::tuple<uint64_t, int64_t, int64_t, std::vector<bool>>, Height> heights_;
  mutable std::map<int64_t, std::optional<Columns>> columnsOf_;
};

} // namespace tigris
