// Operators with indices that may be computed at run time: gathers, searches for several values,
// reversals up to a length.
#include "tigris/IR/ConstantEval.h"
#include "tigris/Import/Tflite/OpTables.h"
#include "tigris/Import/Tflite/Operands.h"

#include <algorithm>
#include <numeric>

namespace tigris {

using tflite::BuiltinOperator;
using Ints = std::vector<int64_t>;

namespace {

TensorId wideIndices(OpContext& op, TensorId indices) {
  if (op.failed() || op.tensor(indices).type == DType::Int64)
    return indices;
  return op.step("wide", OpKind::Cast, {indices}, {{"to", std::string("int64")}});
}

/// `id` with another dimension of size 1 at the end: indices as tuples of one.
TensorId asTuples(OpContext& op, TensorId id) {
  if (op.failed())
    return {};
  Ints dims = op.shape(id).dims();
  dims.push_back(1);
  return op.reshaped(id, Shape(dims));
}

/// 0, 1, 2, ... along the dimension `axis` of `rank`.
TensorId positions(OpContext& op, int64_t count, size_t axis, size_t rank) {
  Ints dims(rank, 1);
  dims[axis] = count;
  Ints values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return op.constant("positions", {DType::Int64, Shape(dims), makeBlobOf(values)});
}

/// The order in which the dimension `from` stands at `to`.
Ints movedAxis(size_t rank, size_t from, size_t to) {
  Ints perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  perm.erase(perm.begin() + static_cast<std::ptrdiff_t>(from));
  perm.insert(perm.begin() + static_cast<std::ptrdiff_t>(to), static_cast<int64_t>(from));
  return perm;
}

/// Gathers along `axis` with the leading dimensions of x and indices in common. The dimensions of x
/// between them and `axis` come before those of the indices.
Status batchGather(OpContext& op, TensorId x, TensorId indices, size_t batch, size_t axis) {
  const size_t rank = op.shape(x).rank();
  const size_t tuple = op.shape(indices).rank() - batch;
  const TensorId tuples = asTuples(op, wideIndices(op, indices));
  const AttrMap attrs = {{"batch_dims", static_cast<int64_t>(batch)}};
  if (axis == batch)
    return op.finish(OpKind::GatherND, {x, tuples}, attrs);
  const TensorId moved = op.transposed(x, movedAxis(rank, axis, batch));
  if (op.failed())
    return op.status();
  const TensorId found =
      op.step("gathered", OpKind::GatherND, {moved, tuples}, attrs, op.tensor(x).quant);
  Ints perm(batch + tuple + rank - batch - 1);
  std::iota(perm.begin(), perm.end(), 0);
  const auto first = perm.begin() + static_cast<std::ptrdiff_t>(batch);
  std::rotate(first, first + static_cast<std::ptrdiff_t>(tuple),
              first + static_cast<std::ptrdiff_t>(tuple + axis - batch));
  return op.finish(OpKind::Transpose, {found}, {{"perm", perm}});
}

Status flatGather(OpContext& op) {
  const auto* options = op.options<tflite::GatherOptions>();
  const TensorId x = operandOf(op, 2);
  const TensorId indices = op.input(1);
  if (op.failed())
    return op.status();
  const int64_t given = options == nullptr ? 0 : options->axis();
  const int64_t batchGiven = options == nullptr ? 0 : options->batch_dims();
  if (batchGiven == 0)
    return op.finish(OpKind::Gather, {x, indices}, {{"axis", given}});
  const size_t axis = dimensionOf(op, given, op.shape(x).rank());
  const size_t batch = dimensionOf(op, batchGiven, op.shape(indices).rank() + 1);
  if (!op.failed() && (batch > axis || batch > op.shape(indices).rank()))
    return op.unsupported("batch_dims is ", batchGiven, ", above its axis ", given);
  if (op.failed())
    return op.status();
  return batchGather(op, x, indices, batch, axis);
}

Status gatherNd(OpContext& op) {
  const TensorId x = operandOf(op, 2);
  return op.finish(OpKind::GatherND, {x, wideIndices(op, op.input(1))});
}

/// Rows of a constant. Those with int8 weights and float results are dequantized.
Status embeddingLookup(OpContext& op) {
  TensorId rows = operandOf(op, 2, 1);
  const TensorId indices = op.input(0);
  if (!op.failed() && !op.result().quant)
    rows = op.real(rows);
  return op.finish(OpKind::Gather, {rows, indices}, {{"axis", int64_t{0}}});
}

/// Where an index equals a position, the value for it; elsewhere the other one.
Status oneHot(OpContext& op) {
  const auto* options = op.options<tflite::OneHotOptions>();
  const TensorId indices = operandOf(op, 4);
  const int64_t depth = oneInteger(op, 1, "the depth");
  if (op.failed())
    return op.status();
  const size_t rank = op.shape(indices).rank() + 1;
  const size_t axis = dimensionOf(op, options == nullptr ? -1 : options->axis(), rank);
  if (op.failed())
    return op.status();
  if (depth < 1 || depth > op.result().shape.elements())
    return op.fail(DiagId::BadShape, "its depth is ", depth, ", its result has shape ",
                   op.result().shape.str());
  Ints dims = op.shape(indices).dims();
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  const TensorId wide = wideIndices(op, op.reshaped(indices, Shape(dims)));
  const TensorId chosen =
      op.step("chosen", OpKind::Equal, {wide, positions(op, depth, axis, rank)});
  return op.finish(OpKind::Where, {chosen, op.input(2), op.input(3)});
}

/// The first `lengths` elements of a dimension backward, the others as they are.
Status reverseSequence(OpContext& op) {
  const auto* options = op.options<tflite::ReverseSequenceOptions>();
  const TensorId x = operandOf(op, 2);
  const TensorId lengths = op.input(1);
  if (op.failed())
    return op.status();
  const size_t rank = op.shape(x).rank();
  const size_t line = dimensionOf(op, options == nullptr ? 0 : options->seq_dim(), rank);
  const size_t batch = dimensionOf(op, options == nullptr ? 0 : options->batch_dim(), rank);
  if (op.failed())
    return op.status();
  if (line == batch || op.shape(lengths) != Shape{op.shape(x)[batch]})
    return op.fail(DiagId::BadShape, "has ", op.shape(lengths).str(), " lengths for dimension ",
                   batch, " of ", op.shape(x).str());
  Ints perm = {static_cast<int64_t>(batch), static_cast<int64_t>(line)};
  for (size_t i = 0; i < rank; ++i)
    if (i != batch && i != line)
      perm.push_back(static_cast<int64_t>(i));
  Ints back(rank);
  for (size_t i = 0; i < rank; ++i)
    back[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  const TensorId at = positions(op, op.shape(x)[line], 1, 2);
  const TensorId ends =
      op.reshaped(wideIndices(op, lengths), Shape{op.shape(x)[batch], int64_t{1}});
  const TensorId inside = op.step("inside", OpKind::Less, {at, ends});
  const TensorId last = op.step("last", OpKind::Sub, {ends, op.intConstant("one", {1})});
  const TensorId mirrored = op.step("mirrored", OpKind::Sub, {last, at});
  const TensorId sources = op.step("sources", OpKind::Where, {inside, mirrored, at});
  const TensorId moved = op.transposed(x, perm);
  if (op.failed())
    return op.status();
  const TensorId found = op.step("reversed", OpKind::GatherND, {moved, asTuples(op, sources)},
                                 {{"batch_dims", int64_t{1}}}, op.tensor(x).quant);
  return op.finish(OpKind::Transpose, {found}, {{"perm", back}});
}

/// Values in descending order and their indices; equal values in order of their indices.
Status topK(OpContext& op) {
  const TensorId x = operandOf(op, 2);
  const int64_t count = oneInteger(op, 1, "the number of values");
  if (op.failed())
    return op.status();
  Graph& graph = op.builder().graph();
  Op made;
  made.kind = OpKind::TopK;
  made.name = graph.uniqueName(op.name());
  made.origin = {op.name()};
  made.inputs = {x};
  made.attrs = {{"axis", int64_t{-1}}, {"largest", int64_t{1}}, {"K", count}};
  for (const char* suffix : {"_values", "_indices"})
    made.outputs.push_back(op.builder().addResult(graph.uniqueName(op.name() + suffix)));
  const TensorId values = made.outputs[0];
  const TensorId indices = made.outputs[1];
  graph.editTensor(values).quant = op.tensor(x).quant;
  if (Status status = op.builder().addOp(std::move(made)); !status)
    return op.fail(status.error().id(), status.error().message());
  if (op.outputIndex(0) >= 0)
    op.finishAs(values);
  if (op.outputCount() > 1 && op.outputIndex(1) >= 0)
    op.finish(OpKind::Cast, {indices}, {{"to", std::string(dtypeName(op.result(1).type))}}, 1);
  return op.status();
}

/// All positions of a shape as tuples: [shape..., rank].
TensorId positionsOf(OpContext& op, const Shape& shape) {
  const auto rank = static_cast<int64_t>(shape.rank());
  if (static_cast<uint64_t>(shape.elements() * rank) * sizeof(int64_t) > MaxMadeBytes) {
    op.unsupported("the positions of shape ", shape.str(), " are too many");
    return {};
  }
  Ints values;
  for (int64_t i = 0; i < shape.elements(); ++i)
    for (size_t axis = 0; axis < shape.rank(); ++axis)
      values.push_back(i / shape.elementsFrom(axis + 1) % shape[axis]);
  Ints dims = shape.dims();
  dims.push_back(rank);
  return op.constant("positions", {DType::Int64, Shape(dims), makeBlobOf(values)});
}

/// Replaces a part that begins at computed indices, which are moved so far that it fits.
Status dynamicUpdateSlice(OpContext& op) {
  const TensorId x = operandOf(op, 3);
  const TensorId update = op.input(1);
  TensorId start = wideIndices(op, op.input(2));
  if (op.failed())
    return op.status();
  const Shape whole = op.shape(x);
  const Shape part = op.shape(update);
  if (part.rank() != whole.rank() || op.shape(start) != Shape{static_cast<int64_t>(whole.rank())})
    return op.fail(DiagId::BadShape, "replaces ", part.str(), " in ", whole.str(), " at ",
                   op.shape(start).str(), " indices");
  if (op.tensor(x).quant != op.tensor(update).quant)
    return op.unsupported("its operands are quantized differently");
  Ints room;
  size_t depth = 0; // dimensions after it are replaced as a whole
  for (size_t i = 0; i < whole.rank(); ++i) {
    room.push_back(whole[i] - part[i]);
    if (room.back() < 0)
      return op.fail(DiagId::BadShape, "replaces ", part.str(), " in ", whole.str());
    depth = room.back() > 0 ? i + 1 : depth;
  }
  if (depth == 0)
    return op.finish(OpKind::Identity, {update});
  room.resize(depth);
  const Ints dims(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(depth));
  start = partOf(op, start, 0, 0, static_cast<int64_t>(depth));
  start = op.step("first", OpKind::Max, {start, op.intConstant("zero", {0})});
  start = op.step("fits", OpKind::Min, {start, op.intConstant("room", room)});
  const TensorId places = op.step("places", OpKind::Add, {positionsOf(op, Shape(dims)), start});
  return op.finish(OpKind::ScatterND, {x, places, update});
}

constexpr OpRule IndexOps[] = {
    {BuiltinOperator::GATHER, 7, flatGather},
    {BuiltinOperator::GATHER_ND, 5, gatherNd},
    {BuiltinOperator::EMBEDDING_LOOKUP, 4, embeddingLookup},
    {BuiltinOperator::ONE_HOT, 1, oneHot, "a depth that is known at import"},
    {BuiltinOperator::REVERSE_SEQUENCE, 1, reverseSequence},
    {BuiltinOperator::DYNAMIC_UPDATE_SLICE, 4, dynamicUpdateSlice},
    {BuiltinOperator::TOPK_V2, 3, topK, "a number of values that is known at import"},
};

} // namespace

std::span<const OpRule> indexOps() { return IndexOps; }

} // namespace tigris
