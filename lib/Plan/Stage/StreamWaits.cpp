// Determines how many rows the ops of a stream wait for others.
#include "tigris/Plan/Stage/StreamModel.h"

#include <algorithm>

namespace tigris {

/// A short branch that joins a longer one could compute its rows early, but they would take memory
/// until the rows of the longer branch arrive. The operand rows of the short branch are often kept
/// anyway, for the longer one. So the short branch waits.
void StreamModel::findWaits() {
  for (size_t k = 0; k < ops_.size(); ++k)
    ops_[k].wait = findWait(k);
}

int64_t StreamModel::findWait(size_t op) const {
  const Step& step = ops_[op];
  if (step.inputs.size() != 1 || buffers_[step.inputs[0].buffer].whole ||
      buffers_[step.output].sumBytes != 0)
    return 0;
  const auto rowsOf = [](const Input& input) {
    const std::vector<Range>& need = input.access->need;
    return need[need.size() / 2].size();
  };
  const size_t operand = step.inputs[0].buffer;
  int64_t most = INT64_MAX; // until all readers have their other operands
  int64_t kept = 0;         // rows of the operand that other ops keep
  for (size_t k = 0; k < ops_.size(); ++k)
    for (const Input& input : ops_[k].inputs) {
      if (input.buffer == step.output)
        most = std::min(most, lag(op, k).value_or(0));
      if (input.buffer == operand && k != op)
        kept = std::max(kept, rowsOf(input));
    }
  const int64_t free = std::max<int64_t>(kept - rowsOf(step.inputs[0]), 0);
  const Buffer& x = buffers_[operand];
  const Buffer& y = buffers_[step.output];
  const bool isNarrow =
      static_cast<uint64_t>(x.rows) * x.rowBytes() < static_cast<uint64_t>(y.rows) * y.rowBytes();
  if (most == INT64_MAX || most <= 0)
    return 0;
  return isNarrow ? most : std::min(most, free);
}

/// Number of operand rows that arrive after the rows that the op needs for one row, until `reader`
/// has the other rows that it needs for its own row. nullopt if those do not depend on the op's
/// operand.
std::optional<int64_t> StreamModel::lag(size_t op, size_t reader) const {
  std::vector<int64_t> ends(buffers_.size(), 0);
  const auto row = static_cast<size_t>(buffers_[ops_[reader].output].rows / 2);
  for (const Input& input : ops_[reader].inputs)
    ends[input.buffer] = input.access->need[row].end;
  const Input& from = ops_[op].inputs[0];
  const int64_t own = from.access->need[static_cast<size_t>(ends[ops_[op].output] - 1)].end;
  ends[ops_[op].output] = 0;
  for (size_t k = reader; k-- > 0;)
    if (const int64_t end = ends[ops_[k].output]; end > 0)
      for (const Input& input : ops_[k].inputs)
        ends[input.buffer] =
            std::max(ends[input.buffer], input.access->need[static_cast<size_t>(end - 1)].end);
  if (ends[from.buffer] == 0)
    return std::nullopt;
  return ends[from.buffer] - own;
}

} // namespace tigris
