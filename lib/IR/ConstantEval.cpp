// Dispatches to the evaluation rule of each operator.
#include "tigris/IR/ConstantEval.h"

#include "tigris/IR/EvalRules.h"

#include <algorithm>

namespace tigris {

namespace {

using namespace eval;

/// Rules that only move bytes, so that quantized operands are as good as any.
Outcome move(const OpValues& op) {
  switch (op.op().kind) {
  case OpKind::Constant:
  case OpKind::Identity:
  case OpKind::Reshape:
  case OpKind::Flatten:
  case OpKind::Squeeze:
  case OpKind::Unsqueeze:
    return sameBytes(op);
  case OpKind::Transpose:
    return transpose(op);
  case OpKind::Slice:
    return slice(op);
  case OpKind::Split:
    return split(op);
  case OpKind::Concat:
    return concat(op);
  case OpKind::Gather:
    return gather(op);
  case OpKind::Expand:
    return expand(op);
  case OpKind::Tile:
    return tile(op);
  case OpKind::DepthToSpace:
    return depthToSpace(op);
  case OpKind::SpaceToDepth:
    return spaceToDepth(op);
  case OpKind::QuantizeLinear:
    return quantize(op);
  case OpKind::DequantizeLinear:
    return dequantize(op);
  default:
    return std::nullopt;
  }
}

Outcome compute(const OpValues& op) {
  switch (op.op().kind) {
  case OpKind::Add:
  case OpKind::Sub:
  case OpKind::Mul:
  case OpKind::Div:
    return activated(op, binary(op));
  case OpKind::Pow:
  case OpKind::Mod:
  case OpKind::PRelu:
    return binary(op);
  case OpKind::Equal:
  case OpKind::Less:
  case OpKind::LessOrEqual:
  case OpKind::Greater:
  case OpKind::GreaterOrEqual:
    return compare(op);
  case OpKind::And:
  case OpKind::Or:
  case OpKind::Xor:
    return logic(op);
  case OpKind::Max:
  case OpKind::Min:
  case OpKind::Sum:
    return variadic(op);
  case OpKind::Where:
    return where(op);
  case OpKind::Clip:
    return clip(op);
  case OpKind::BatchNorm:
  case OpKind::BatchNormalization:
    return activated(op, batchNorm(op));
  case OpKind::Cast:
    return castElements(op);
  case OpKind::Pad:
    return pad(op);
  case OpKind::Resize:
    return resize(op);
  case OpKind::Range:
    return range(op);
  case OpKind::ConstantOfShape:
    return constantOfShape(op);
  case OpKind::Gemm:
    return activated(op, gemm(op));
  case OpKind::MatMul:
    return matMul(op);
  case OpKind::Softmax:
  case OpKind::LogSoftmax:
    return softmax(op);
  case OpKind::LayerNormalization:
    return layerNormalization(op);
  case OpKind::Conv:
  case OpKind::DepthwiseConv:
  case OpKind::Conv1D:
    return activated(op, conv(op));
  case OpKind::ConvTranspose:
    return activated(op, convTranspose(op));
  case OpKind::MaxPool:
  case OpKind::AveragePool:
    return pool(op);
  case OpKind::GlobalAveragePool:
  case OpKind::GlobalMaxPool:
    return globalPool(op);
  case OpKind::ReduceMean:
  case OpKind::ReduceSum:
  case OpKind::ReduceMax:
  case OpKind::ReduceMin:
  case OpKind::ReduceProd:
  case OpKind::ReduceL1:
  case OpKind::ReduceL2:
  case OpKind::ReduceSumSquare:
  case OpKind::ReduceLogSum:
  case OpKind::ReduceLogSumExp:
    return reduce(op);
  default:
    return unary(op);
  }
}

} // namespace

std::optional<std::vector<BlobRef>> evaluateOp(const Op& op, const KnownValues& values,
                                               std::span<const ResultType> results) {
  const OpValues operands(op, values, results);
  if (op.kind == OpKind::Shape)
    return shapeOf(operands);
  if (op.kind == OpKind::Size)
    return sizeOf(operands);
  const bool anyFloat16 = std::any_of(results.begin(), results.end(), [](const ResultType& result) {
    return !hasElements(result.type);
  });
  if (op.kind == OpKind::Unknown || anyFloat16 || !operands.allKnown())
    return std::nullopt;
  if (Outcome moved = move(operands))
    return moved;
  if (operands.anyQuantized())
    return std::nullopt;
  return compute(operands);
}

namespace eval {

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
