// The rows of its operands that an op needs for each row of its result, for ops that run row by
// row. Derived from BoxAccess.
#pragma once

#include "tigris/Plan/Stage/TileModel.h"

#include <variant>

namespace tigris {

/// Rows [begin, end) of a tensor. If the outermost axis has `outer` indices, the box contains one
/// of them. All other axes are whole.
Box rowStrip(const Shape& shape, int64_t outer, int64_t begin, int64_t end);

/// The rows (indices of axis 1) of its operands that an op needs for each row of its result, at one
/// index of the outermost axis.
struct RowAccess {
  struct Input {
    TensorId tensor;
    /// Index of the operand.
    size_t operand = 0;
    /// The rows needed, per row of the result.
    std::vector<Range> need;
    /// Whether every row of the result needs all rows.
    bool whole = true;
    /// Whether every row of the result needs at most one row.
    bool single = true;
  };
  const BoxAccess* rules = nullptr;
  /// Activations only.
  std::vector<Input> inputs;
  /// A reduction over all rows can be a sink: it adds rows to sums as they arrive, and needs no row
  /// twice. The sums take this number of bytes, in place of the result. 0 for other ops.
  uint64_t sumBytes = 0;
};

/// The row accesses of a graph's ops, each computed once.
class RowTable {
public:
  explicit RowTable(AccessTable& access) : access_(&access) {}
  const Graph& graph() const { return access_->graph(); }
  /// Null for an op that cannot run row by row, or that needs earlier rows again.
  const RowAccess* find(OpId op) { return std::get_if<RowAccess>(&entry(op)); }
  /// Why find() returns null, as a clause about the op: "needs all rows ...".
  std::string refusal(OpId op);

private:
  /// Why an op cannot run row by row.
  struct Refusal {
    const char* reason;
    /// The operand in question, if any.
    TensorId operand = {};
  };
  using Entry = std::variant<RowAccess, Refusal>;

  const Entry& entry(OpId op);
  Entry make(OpId op) const;
  std::optional<Refusal> addInput(size_t operand, const Op& op, RowAccess& access) const;

  AccessTable* access_;
  std::map<OpId, Entry> entries_;
};

} // namespace tigris
