// Which rows of its operands an op needs for each row of its result: BoxAccess for ops that run row
// by row.
#pragma once

#include "tigris/Plan/Stage/TileModel.h"

#include <variant>

namespace tigris {

/// One index of the outermost axis, if that has `outer` of them, rows [begin, end), and all of the
/// rest.
Box rowStrip(const Shape& shape, int64_t outer, int64_t begin, int64_t end);

/// Which rows (indices of axis 1) of its operands an op needs for each row of its result, the
/// outermost axis at one index.
struct RowAccess {
  struct Input {
    TensorId tensor;
    /// Which of the op's operands it is.
    size_t operand = 0;
    /// Per row of the result.
    std::vector<Range> need;
    /// Every row of the result needs all of them.
    bool whole = true;
    /// No row of the result needs more than one.
    bool single = true;
  };
  const BoxAccess* rules = nullptr;
  /// Activations only.
  std::vector<Input> inputs;
  /// An average over all rows can be a sink: it adds rows as they come to sums, which take so many
  /// bytes instead of the result's, and needs no row twice. 0 for other ops.
  uint64_t sumBytes = 0;
};

/// Row accesses of a graph's ops, each made once.
class RowTable {
public:
  explicit RowTable(AccessTable& access) : access_(&access) {}
  const Graph& graph() const { return access_->graph(); }
  /// Null for an op that cannot run row by row, or wants rows again that have passed.
  const RowAccess* find(OpId op) { return std::get_if<RowAccess>(&entry(op)); }
  /// Why find() returns null, as a clause about the op: "needs all rows ...".
  std::string refusal(OpId op);

private:
  /// What keeps an op from running row by row.
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
