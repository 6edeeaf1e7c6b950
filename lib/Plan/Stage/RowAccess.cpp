// Derives rows from the rules for boxes. Windows of rows only move forward; other ops are refused.
#include "tigris/Plan/Stage/RowAccess.h"

#include "tigris/Analysis/RowSums.h"
#include "tigris/Support/StringUtils.h"

namespace tigris {

namespace {

bool isTooLong(const Shape& shape) { return shape[RowAxis] > StreamedStage::MaxRows; }

} // namespace

Box rowStrip(const Shape& shape, int64_t outer, int64_t begin, int64_t end) {
  Box box = wholeBox(shape);
  if (shape[0] == outer)
    box.axes[0] = {0, 1};
  box.axes[RowAxis] = {begin, end};
  return box;
}

const RowTable::Entry& RowTable::entry(OpId op) {
  auto found = entries_.find(op);
  if (found == entries_.end())
    found = entries_.emplace(op, make(op)).first;
  return found->second;
}

std::string RowTable::refusal(OpId op) {
  const auto* refusal = std::get_if<Refusal>(&entry(op));
  if (refusal == nullptr)
    return {};
  return refusal->operand
             ? strCat(refusal->reason, " '", graph().tensor(refusal->operand).name, "'")
             : refusal->reason;
}

RowTable::Entry RowTable::make(OpId id) const {
  const Op& op = graph().op(id);
  const BoxAccess* rules = access_->find(id);
  if (rules == nullptr)
    return Refusal{"runs on whole tensors only"};
  if (rules->carriesState())
    return Refusal{"computes steps, which are no rows, from the state of those before"};
  if (op.outputs.size() != 1 || graph().tensor(op.output()).shape.rank() < 2)
    return Refusal{"has no result with rows"};
  const Shape& result = graph().tensor(op.output()).shape;
  if (isTooLong(result))
    return Refusal{"has more rows than a streamed stage supports, in tensor", op.output()};
  const int64_t outer = result[0];
  if ((result[RowAxis] > 1 || outer > 1) && !rules->allows(rowStrip(result, outer, 0, 1)))
    return Refusal{"computes all rows of its result at once"};
  RowAccess access;
  access.rules = rules;
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (op.inputs[i] && !graph().tensor(op.inputs[i]).isConstant())
      if (const std::optional<Refusal> refusal = addInput(i, op, access))
        return *refusal;
  if (!access.inputs.empty())
    access.sumBytes = rowSumBytes(graph(), op);
  return access;
}

std::optional<RowTable::Refusal> RowTable::addInput(size_t operand, const Op& op,
                                                    RowAccess& access) const {
  const TensorId id = op.inputs[operand];
  const Shape& result = graph().tensor(op.output()).shape;
  const int64_t outer = result[0];
  const Shape& shape = graph().tensor(id).shape;
  if (shape.rank() < 2 || (shape[0] != outer && shape[0] != 1))
    return Refusal{"has rows that do not follow those of its operand", id};
  if (isTooLong(shape))
    return Refusal{"has more rows than a streamed stage supports, in tensor", id};
  const BoxAccess& rules = *access.rules;
  const Box whole = rowStrip(shape, outer, 0, shape[RowAxis]);
  // An axis of the operand may have the outermost extent by chance but be another axis.
  Box last = rowStrip(result, outer, 0, 1);
  last.axes[0] = {outer - 1, outer};
  const Range lastOuter = shape[0] == outer ? last.axes[0] : Range{0, 1};
  if (rules.need(operand, last).axes[0] != lastOuter)
    return Refusal{"moves data between batches of its operand", id};
  const Box all = rules.need(operand, rowStrip(result, outer, 0, result[RowAxis]));
  RowAccess::Input input;
  input.tensor = id;
  input.operand = operand;
  for (int64_t row = 0; row < result[RowAxis]; ++row) {
    const Box need = rules.need(operand, rowStrip(result, outer, row, row + 1));
    // Kernels receive all columns and channels of the rows, so these must not depend on the row.
    if (need.empty() || need.axes[0] != whole.axes[0] || need.axes[2] != all.axes[2] ||
        need.axes[3] != all.axes[3])
      return Refusal{"needs different columns or channels for each row of its operand", id};
    const Range rows = need.axes[RowAxis];
    if (!input.need.empty() &&
        (rows.begin < input.need.back().begin || rows.end < input.need.back().end))
      return Refusal{"goes back to earlier rows of its operand", id};
    input.whole &= rows.size() == shape[RowAxis];
    input.single &= rows.size() == 1;
    input.need.push_back(rows);
  }
  access.inputs.push_back(std::move(input));
  return std::nullopt;
}

} // namespace tigris
