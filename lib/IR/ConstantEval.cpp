// Applies the evaluation rule that Ops.def names for each operator.
#include "tigris/IR/ConstantEval.h"

#include "tigris/IR/EvalRules.h"

#include <algorithm>

namespace tigris {

namespace {

using namespace eval;

Outcome applyRule(const OpValues& op) {
  using Rule = Outcome (*)(const OpValues&);
  static constexpr Rule Rules[] = {
#define TIGRIS_OP(kind, category, types, operands, results, attributes, opClass, shape, value,     \
                  ...)                                                                             \
  eval::value,
#include "tigris/IR/Ops.def"
      noRule,
  };
  return activated(op, Rules[static_cast<size_t>(op.op().kind)](op));
}

/// Whether the rule also applies to quantized operands.
bool takesQuantized(OpKind kind) {
  const OpClass opClass = opInfo(kind).opClass;
  return opClass == OpClass::Movement || opClass == OpClass::Quantization;
}

} // namespace

std::optional<std::vector<BlobRef>> evaluateOp(const Op& op, const KnownValues& values,
                                               std::span<const ResultType> results) {
  const OpValues operands(op, values, results);
  const bool asksForShape = op.kind == OpKind::Shape || op.kind == OpKind::Size;
  const bool anyFloat16 = std::any_of(results.begin(), results.end(), [](const ResultType& result) {
    return !hasElements(result.type);
  });
  if (!asksForShape && (anyFloat16 || !operands.allKnown()))
    return std::nullopt;
  if (!takesQuantized(op.kind) && !asksForShape && operands.anyQuantized())
    return std::nullopt;
  return applyRule(operands);
}

namespace eval {

Outcome noRule(const OpValues&) { return std::nullopt; }

bool OpValues::allKnown() const {
  return std::all_of(op_->inputs.begin(), op_->inputs.end(), [this](TensorId id) {
    return !id || (hasElements(values_->graph().tensor(id).type) && values_->find(id) != nullptr);
  });
}

bool OpValues::anyQuantized() const {
  return std::any_of(op_->inputs.begin(), op_->inputs.end(), [this](TensorId id) {
    return id && values_->graph().tensor(id).quant.has_value();
  });
}

Walk dense(const Shape& shape) { return {rowMajorStrides(shape), 0}; }

Walk broadcasting(const Shape& from, const Shape& to) {
  const std::vector<int64_t> own = rowMajorStrides(from);
  Walk walk{std::vector<int64_t>(to.rank(), 0), 0};
  for (size_t i = 0; i < from.rank(); ++i)
    if (from[i] != 1)
      walk.strides[to.rank() - from.rank() + i] = own[i];
  return walk;
}

namespace {

template <typename T>
void copyRow(int64_t count, const uint8_t* from, int64_t step, uint8_t* to, int64_t targetStep) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * targetStep * static_cast<int64_t>(sizeof(T)),
                from + i * step * static_cast<int64_t>(sizeof(T)), sizeof(T));
}

void copyRow(unsigned size, int64_t count, const uint8_t* from, int64_t step, uint8_t* to,
             int64_t targetStep) {
  if (step == 1 && targetStep == 1) {
    std::memcpy(to, from, static_cast<size_t>(count) * size);
    return;
  }
  switch (size) {
  case 1:
    return copyRow<uint8_t>(count, from, step, to, targetStep);
  case 2:
    return copyRow<uint16_t>(count, from, step, to, targetStep);
  case 4:
    return copyRow<uint32_t>(count, from, step, to, targetStep);
  default:
    return copyRow<uint64_t>(count, from, step, to, targetStep);
  }
}

} // namespace

void copyWalk(const Shape& shape, unsigned size, const uint8_t* from, const Walk& source,
              uint8_t* to, const Walk& target) {
  if (shape.elements() == 0)
    return;
  if (shape.rank() == 0) {
    std::memcpy(to + target.offset * size, from + source.offset * size, size);
    return;
  }
  const size_t last = shape.rank() - 1;
  std::vector<int64_t> index(shape.rank(), 0);
  int64_t read = source.offset;
  int64_t write = target.offset;
  while (true) {
    copyRow(size, shape[last], from + read * size, source.strides[last], to + write * size,
            target.strides[last]);
    size_t axis = last;
    while (axis > 0) {
      --axis;
      read += source.strides[axis];
      write += target.strides[axis];
      if (++index[axis] < shape[axis])
        break;
      read -= source.strides[axis] * shape[axis];
      write -= target.strides[axis] * shape[axis];
      index[axis] = 0;
      if (axis == 0)
        return;
    }
    if (last == 0)
      return;
  }
}

} // namespace eval

} // namespace tigris
