// A run of ops as one streamed stage: which rows its buffers hold in every step, and what that costs.
#pragma once

#include "tigris/Plan/TileModel.h"

#include <functional>

namespace tigris {

/// Which rows (indices of axis 1) of its operands an op needs for each row of its result, the outermost axis
/// at one index.
struct RowAccess {
  struct Input {
    TensorId tensor;
    /// Per row of the result.
    std::vector<Range> need;
    /// Every row of the result needs all of them.
    bool whole = true;
  };
  /// Activations only.
  std::vector<Input> inputs;
};

/// Row accesses of a graph's ops, each made once.
class RowTable {
public:
  explicit RowTable(AccessTable& access) : access_(&access) {}
  const Graph& graph() const { return access_->graph(); }
  /// Null for an op that cannot run row by row, or wants rows again that have passed.
  const RowAccess* find(OpId op);

private:
  std::optional<RowAccess> make(OpId op) const;

  AccessTable* access_;
  std::map<OpId, std::optional<RowAccess>> entries_;
};

/// Row-wise view of a chain: every op needs a window of rows of its operands that only moves forward. Each row
/// is loaded or made once; a buffer that keeps rows from step to step (a rolling buffer) has its bytes for
/// the whole stage, any other only between its first and last op.
class StreamModel {
public:
  /// nullopt when an op cannot run row by row. Refers to the table.
  static std::optional<StreamModel> make(RowTable& table, std::span<const OpId> ops,
                                         std::span<const TensorId> loads,
                                         std::span<const TensorId> stores);

  /// The cost of working in `steps` steps; cost.tiles is {outermost extent, steps, 1, 1}.
  TileCost cost(int64_t steps) const;
  /// Steps beyond which nothing gets smaller: rows of the highest tensor that is loaded row by row.
  int64_t mostSteps() const { return mostSteps_; }
  /// The cut with the fewest steps that fits the bytes `room` allows it; nullopt when none does.
  std::optional<TileCost> search(const std::function<uint64_t(const TileCost&)>& room,
                                 uint64_t align) const;

  ArenaLayout layOut(const TileCost& cost, uint64_t align) const;
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
    int64_t rows = 1;
    uint64_t rowBytes = 0;
    /// Times the buffer is filled from its start: the outermost extent, or 1 for what does not follow it.
    uint64_t rounds = 1;
  };
  /// Rows of an operand that each row of the result needs.
  struct Input {
    size_t buffer = 0;
    const std::vector<Range>* need = nullptr;
  };
  struct Step {
    std::vector<Input> inputs;
    size_t output = 0;
  };

  /// Rows of a buffer: those before `end` have come, those from `fresh` on in this step.
  struct State {
    int64_t fresh = 0;
    int64_t end = 0;
    int64_t most = 0;
    bool rolls = false;
  };

  StreamModel() = default;
  void addLeads(const std::vector<State>& states, std::vector<Lead>& leads) const;

  std::vector<Step> ops_;
  std::vector<Buffer> buffers_;
  int64_t outer_ = 1;
  int64_t mostSteps_ = 1;
};

} // namespace tigris
