// Operators that move elements without arithmetic. A quantized result keeps the operand's scale and
// zero point.
#include "tigris/IR/ConstantEval.h"
#include "tigris/Import/Tflite/OpTables.h"
#include "tigris/Import/Tflite/Operands.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tigris {

using tflite::BuiltinOperator;
using Ints = std::vector<int64_t>;

namespace {

/// The shape of a RESHAPE: operand 1 or the option, in which one -1 stands for the rest.
Shape newShape(OpContext& op, TensorId x) {
  Ints dims;
  if (op.inputIndex(1) >= 0)
    dims = op.integers(1, "the new shape");
  else if (const auto* options = op.options<tflite::ReshapeOptions>())
    for (const int32_t dim : elementsOf(options->new_shape()))
      dims.push_back(dim);
  if (op.failed())
    return {};
  if (dims.size() == 1 && dims[0] == 0) // an old spelling of a scalar
    dims.clear();
  int64_t known = 1;
  for (const int64_t dim : dims)
    known = dim == -1 ? known : known * std::clamp<int64_t>(dim, 0, Shape::MaxElements);
  for (int64_t& dim : dims)
    if (dim == -1)
      dim = known > 0 ? op.shape(x).elements() / known : 0;
  Shape shape(dims);
  const auto elements = shape.checkedElements();
  if (!elements || *elements != op.shape(x).elements())
    op.fail(DiagId::BadShape, "reshapes ", op.shape(x).str(), " to ", shape.str());
  return shape;
}

Status flatReshape(OpContext& op) {
  const TensorId x = operandOf(op, 1);
  if (op.failed())
    return op.status();
  const Shape shape = newShape(op, x);
  return op.finish(OpKind::Reshape, {x}, {{"shape", shape.dims()}});
}

Status squeeze(OpContext& op) {
  const TensorId x = operandOf(op, 1);
  if (op.failed())
    return op.status();
  Ints axes;
  if (const auto* options = op.options<tflite::SqueezeOptions>())
    for (const int32_t axis : elementsOf(options->squeeze_dims()))
      axes.push_back(axis);
  return op.finish(OpKind::Squeeze, {x}, axes.empty() ? AttrMap() : AttrMap{{"axes", axes}});
}

Status expandDims(OpContext& op) {
  const TensorId x = operandOf(op, 2);
  const int64_t axis = oneInteger(op, 1, "the dimension");
  return op.finish(OpKind::Unsqueeze, {x}, {{"axes", Ints{axis}}});
}

Status flatTranspose(OpContext& op) {
  const TensorId x = operandOf(op, 2);
  Ints perm = op.integers(1, "the permutation");
  return op.finish(OpKind::Transpose, {x}, {{"perm", std::move(perm)}});
}

/// Pairs before and after each dimension as all numbers before, then all after.
Ints padsOperand(OpContext& op, TensorId x) {
  const Ints pairs = op.integers(1, "the padding");
  if (op.failed())
    return {};
  const size_t rank = op.shape(x).rank();
  if (pairs.size() != 2 * rank) {
    op.fail(DiagId::BadShape, "has ", pairs.size(), " paddings for rank ", rank);
    return {};
  }
  Ints pads(pairs.size());
  for (size_t i = 0; i < rank; ++i) {
    pads[i] = pairs[2 * i];
    pads[rank + i] = pairs[2 * i + 1];
  }
  return pads;
}

Status flatPad(OpContext& op) {
  const TensorId x = operandOf(op, 2);
  Ints pads = padsOperand(op, x);
  return op.finish(OpKind::Pad, {x}, {{"pads", std::move(pads)}});
}

/// The fill value is an operand with the quantization of the others.
Status padV2(OpContext& op) {
  const TensorId x = operandOf(op, 3);
  Ints pads = padsOperand(op, x);
  if (!op.failed() && op.tensor(op.input(2)).quant != op.result().quant)
    return op.unsupported("its fill value is quantized otherwise than its result");
  const TensorId value = op.real(op.input(2));
  if (op.failed())
    return op.status();
  const BlobRef known = op.builder().values().find(value);
  if (known == nullptr || op.tensor(value).elements() != 1)
    return op.unsupported("its fill value must be one number that is known at compile time");
  const double fill = op.tensor(value).type == DType::Float32
                          ? static_cast<double>(known->values<float>()[0])
                          : static_cast<double>(op.integers(2, "its fill value")[0]);
  return op.finish(OpKind::Pad, {x}, {{"pads", std::move(pads)}, {"value", fill}});
}

/// Reversed parts beside the tensor, one dimension after the other.
Status mirrorPad(OpContext& op) {
  TensorId x = operandOf(op, 2);
  const Ints pads = padsOperand(op, x);
  const auto* options = op.options<tflite::MirrorPadOptions>();
  if (op.failed())
    return op.status();
  const bool symmetric = options != nullptr && options->mode() == tflite::MirrorPadMode::SYMMETRIC;
  if (!symmetric)
    return op.finish(OpKind::Pad, {x}, {{"pads", pads}, {"mode", std::string("reflect")}});
  const size_t rank = op.shape(x).rank();
  for (size_t axis = 0; axis < rank && !op.failed(); ++axis) {
    const int64_t size = op.shape(x)[axis];
    const int64_t before = pads[axis];
    const int64_t after = pads[rank + axis];
    if (before < 0 || after < 0 || before > size || after > size)
      return op.fail(DiagId::BadShape, "pads dimension ", axis, " of size ", size, " by ", before,
                     " and ", after);
    const auto mirrored = [&](int64_t from, int64_t to) {
      const TensorId some = partOf(op, x, axis, from, to);
      Ints starts(rank, 0);
      Ints ends = op.failed() ? Ints(rank) : op.shape(some).dims();
      Ints steps(rank, 1);
      starts[axis] = -1;
      ends[axis] = std::numeric_limits<int64_t>::min() / 2;
      steps[axis] = -1;
      return slicedBy(op, some, std::move(starts), std::move(ends), std::move(steps));
    };
    std::vector<TensorId> parts;
    if (before > 0)
      parts.push_back(mirrored(0, before));
    parts.push_back(x);
    if (after > 0)
      parts.push_back(mirrored(size - after, size));
    if (parts.size() > 1 && !op.failed())
      x = op.step("mirror", OpKind::Concat, parts, {{"axis", static_cast<int64_t>(axis)}},
                  op.tensor(x).quant);
  }
  return op.finish(OpKind::Identity, {x});
}

Status concatenation(OpContext& op) {
  const auto* options = op.options<tflite::ConcatenationOptions>();
  if (!op.require(1) || options == nullptr)
    return op.fail(DiagId::BadAttr, "has no ConcatenationOptions");
  std::vector<TensorId> inputs;
  for (size_t i = 0; i < op.inputCount(); ++i)
    inputs.push_back(op.requantized(op.input(i)));
  op.setActivation(options->fused_activation_function());
  return op.finish(OpKind::Concat, std::move(inputs), {{"axis", int64_t{options->axis()}}});
}

Status flatTile(OpContext& op) {
  const TensorId x = operandOf(op, 2);
  Ints repeats = op.integers(1, "the repeats");
  return op.finish(OpKind::Tile, {x}, {{"repeats", std::move(repeats)}});
}

Status broadcastTo(OpContext& op) {
  const TensorId x = operandOf(op, 2);
  Ints shape = op.integers(1, "the shape");
  return op.finish(OpKind::Expand, {x}, {{"shape", std::move(shape)}});
}

Status flatReverse(OpContext& op) {
  const TensorId x = operandOf(op, 2);
  const Ints axes = op.integers(1, "the dimensions");
  return op.finish(OpKind::Slice, {x},
                   {{"starts", Ints(axes.size(), -1)},
                    {"ends", Ints(axes.size(), std::numeric_limits<int64_t>::min() / 2)},
                    {"axes", axes},
                    {"steps", Ints(axes.size(), -1)}});
}

Status shapeOf(OpContext& op) {
  const TensorId x = operandOf(op, 1);
  return op.finishWith(op.step("shape", OpKind::Shape, {x}));
}

Status flatRank(OpContext& op) {
  const TensorId x = operandOf(op, 1);
  if (op.failed())
    return op.status();
  const auto value = static_cast<int32_t>(op.shape(x).rank());
  return op.finishAs(
      op.constant("rank", {DType::Int32, Shape(), makeBlobOf(std::vector<int32_t>{value})}));
}

/// The common shape of two shapes.
Status broadcastArgs(OpContext& op) {
  if (!op.require(2))
    return op.status();
  Ints a = op.integers(0, "the shapes");
  Ints b = op.integers(1, "the shapes");
  if (op.failed())
    return op.status();
  if (a.size() < b.size())
    std::swap(a, b);
  b.insert(b.begin(), a.size() - b.size(), 1);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] != 1 && b[i] != 1)
      return op.fail(DiagId::BadShape, "the shapes ", Shape(a).str(), " and ", Shape(b).str(),
                     " do not broadcast");
    a[i] = a[i] == 1 ? b[i] : a[i];
  }
  return op.finishWith(op.intConstant("shape", a));
}

/// A value for every element of a shape.
Status flatFill(OpContext& op) {
  const TensorId value = operandOf(op, 2, 1);
  Ints shape = op.integers(0, "the shape");
  return op.finish(OpKind::Expand, {value}, {{"shape", std::move(shape)}});
}

Status zerosLike(OpContext& op) {
  const TensorId x = operandOf(op, 1);
  if (op.failed())
    return op.status();
  const Shape shape = op.shape(x);
  const DType type = op.tensor(x).type;
  if (static_cast<uint64_t>(shape.elements()) * dtypeSize(type) > MaxMadeBytes)
    return op.unsupported("zeros of shape ", shape.str(), " are too large");
  const auto bytes = static_cast<size_t>(shape.elements()) * dtypeSize(type);
  if (op.isQuantized(x) && op.result().portType != DType::Int8)
    return op.unsupported("quantized zeros are int8 only");
  const TensorId zeros = op.constant("zeros", {type, shape, makeBlob(std::vector<uint8_t>(bytes))});
  if (!op.failed()) // stored zeros, whatever the zero point
    op.builder().graph().editTensor(zeros).quant = op.result().quant;
  return op.finishAs(zeros);
}

constexpr OpRule MovementOps[] = {
    {BuiltinOperator::RESHAPE, 1, flatReshape},
    {BuiltinOperator::SQUEEZE, 2, squeeze},
    {BuiltinOperator::EXPAND_DIMS, 1, expandDims},
    {BuiltinOperator::TRANSPOSE, 6, flatTranspose},
    {BuiltinOperator::PAD, 4, flatPad},
    {BuiltinOperator::PADV2, 4, padV2},
    {BuiltinOperator::MIRROR_PAD, 3, mirrorPad},
    {BuiltinOperator::CONCATENATION, 4, concatenation},
    {BuiltinOperator::TILE, 3, flatTile},
    {BuiltinOperator::BROADCAST_TO, 3, broadcastTo},
    {BuiltinOperator::BROADCAST_ARGS, 1, broadcastArgs, "shapes that are known at import"},
    {BuiltinOperator::REVERSE_V2, 3, flatReverse},
    {BuiltinOperator::SHAPE, 1, shapeOf},
    {BuiltinOperator::RANK, 1, flatRank},
    {BuiltinOperator::FILL, 3, flatFill},
    {BuiltinOperator::ZEROS_LIKE, 1, zerosLike},
};

} // namespace

std::span<const OpRule> movementOps() { return MovementOps; }

} // namespace tigris
