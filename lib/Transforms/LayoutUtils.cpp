// Permutable operators: how their attributes change with the order of dimensions, by the order rule
// of their row in Ops.def.
#include "tigris/Transforms/LayoutUtils.h"

#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/QuantUtils.h"

#include <algorithm>
#include <numeric>

namespace tigris {

Perm channelsLastPerm(size_t rank) {
  Perm perm = {0};
  for (size_t i = 2; i < rank; ++i)
    perm.push_back(static_cast<int64_t>(i));
  perm.push_back(1);
  return perm;
}

Perm channelsFirstPerm(size_t rank) { return inversePerm(channelsLastPerm(rank)); }

Perm inversePerm(const Perm& perm) {
  Perm inverse(perm.size());
  for (size_t i = 0; i < perm.size(); ++i)
    inverse[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  return inverse;
}

Perm composePerm(const Perm& first, const Perm& second) {
  Perm result(first.size());
  for (size_t i = 0; i < first.size(); ++i)
    result[i] = first[static_cast<size_t>(second[i])];
  return result;
}

bool isIdentityPerm(const Perm& perm) {
  for (size_t i = 0; i < perm.size(); ++i)
    if (perm[i] != static_cast<int64_t>(i))
      return false;
  return true;
}

bool keepsElementOrder(const Shape& shape, const Perm& perm) {
  int64_t last = -1;
  for (const int64_t axis : perm) {
    if (shape[static_cast<size_t>(axis)] == 1)
      continue;
    if (axis < last)
      return false;
    last = axis;
  }
  return true;
}

std::optional<Perm> transposePerm(const Graph& graph, TensorId id) {
  const OpId producer = id ? graph.producer(id) : OpId();
  if (!producer || graph.op(producer).kind != OpKind::Transpose)
    return std::nullopt;
  const Op& op = graph.op(producer);
  const size_t rank = graph.tensor(id).shape.rank();
  Perm reversed(rank);
  for (size_t i = 0; i < rank; ++i)
    reversed[i] = static_cast<int64_t>(rank - 1 - i);
  return op.attrs.getInts("perm", reversed);
}

std::optional<Perm> movingPerm(const Graph& graph, TensorId id) {
  std::optional<Perm> perm = transposePerm(graph, id);
  if (perm && keepsElementOrder(graph.tensor(graph.op(graph.producer(id)).input(0)).shape, *perm))
    return std::nullopt;
  return perm;
}

namespace {

Tensor permutedTensor(const Graph& graph, TensorId source, const Perm& perm) {
  Tensor tensor = graph.tensor(source);
  tensor.shape = permute(tensor.shape, perm);
  if (tensor.quant && tensor.quant->perChannel())
    tensor.quant->axis =
        static_cast<int>(inversePerm(perm)[static_cast<size_t>(tensor.quant->axis)]);
  return tensor;
}

Op makeTranspose(const Graph& graph, TensorId source, TensorId result, const Perm& perm) {
  Op op;
  op.kind = OpKind::Transpose;
  op.name = graph.uniqueName(graph.tensor(source).name + "_transpose");
  op.inputs = {source};
  op.outputs = {result};
  op.attrs.set("perm", perm);
  return op;
}

} // namespace

TensorId insertTransposeBefore(Graph& graph, OpId user, TensorId source, const Perm& perm) {
  Tensor tensor = permutedTensor(graph, source, perm);
  tensor.name = graph.uniqueName(tensor.name + "_t");
  const TensorId result = graph.addTensor(std::move(tensor));
  graph.insertBefore(user, makeTranspose(graph, source, result, perm));
  return result;
}

void transposeResult(Graph& graph, OpId id, size_t index, const Perm& perm) {
  const TensorId old = graph.op(id).outputs[index];
  Tensor tensor = permutedTensor(graph, old, inversePerm(perm));
  graph.renameTensor(old, graph.uniqueName(tensor.name + "_t"));
  const TensorId fresh = graph.addTensor(std::move(tensor));
  std::vector<TensorId> outputs = graph.op(id).outputs;
  outputs[index] = fresh;
  graph.setOutputs(id, std::move(outputs));
  graph.insertAfter(id, makeTranspose(graph, fresh, old, perm));
}

namespace {

/// Axes in an attribute: makes them explicit in x's numbering, then renumbers them for s. Without
/// the attribute they are all axes, or as many as Slice has starts.
void renumberAxes(Op& op, size_t rank, const Perm& perm) {
  std::vector<int64_t> axes(op.attrs.has("starts") ? op.attrs.getInts("starts").size() : rank);
  std::iota(axes.begin(), axes.end(), 0);
  axes = op.attrs.getInts("axes", axes);
  for (int64_t& axis : axes)
    axis = perm[*normalizeAxis(axis, rank)];
  op.attrs.set("axes", axes);
}

void renumberAxis(Op& op, size_t rank, const Perm& perm) {
  const auto fallback = static_cast<int64_t>(opInfo(op.kind).fallback("axis"));
  const size_t axis = *normalizeAxis(op.attrs.getInt("axis", fallback), rank);
  op.attrs.set("axis", perm[axis]);
}

/// Permutes values per dimension.
std::vector<int64_t> moveValues(const std::vector<int64_t>& values, const Perm& perm) {
  std::vector<int64_t> moved(values.size());
  for (size_t i = 0; i < perm.size(); ++i)
    moved[static_cast<size_t>(perm[i])] = values[i];
  return moved;
}

/// Pads of all dimensions in s's order; `axes` is removed.
void permutePads(Op& op, size_t rank, const Perm& perm) {
  const std::vector<int64_t> pads = op.attrs.getInts("pads");
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  axes = op.attrs.getInts("axes", axes);
  std::vector<int64_t> moved(2 * rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(perm[*normalizeAxis(axes[i], rank)]);
    moved[axis] = pads[i];
    moved[rank + axis] = pads[axes.size() + i];
  }
  op.attrs.erase("axes");
  op.attrs.set("pads", moved);
}

/// The permutation of the spatial dimensions among themselves, for a channels-last one that keeps
/// batch and channels.
Perm spatialPerm(const Perm& perm) {
  Perm spatial;
  for (size_t i = 1; i + 1 < perm.size(); ++i)
    spatial.push_back(perm[i] - 1);
  return spatial;
}

void permuteWindows(Op& op, const Perm& perm) {
  const Perm spatial = spatialPerm(perm);
  for (const char* name : {"kernel_shape", "strides", "dilations", "output_padding"})
    if (op.attrs.has(name))
      op.attrs.set(name, moveValues(op.attrs.getInts(name), spatial));
  if (!op.attrs.has("pads"))
    return;
  const std::vector<int64_t> pads = op.attrs.getInts("pads");
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(spatial.size());
  std::vector<int64_t> moved = moveValues({pads.begin(), middle}, spatial);
  const std::vector<int64_t> ends = moveValues({middle, pads.end()}, spatial);
  moved.insert(moved.end(), ends.begin(), ends.end());
  op.attrs.set("pads", moved);
}

/// Weights [.., .., spatial dimensions].
TensorId permutedWeights(Graph& graph, TensorId weights, const Perm& perm) {
  Perm order = {0, 1};
  for (const int64_t axis : spatialPerm(perm))
    order.push_back(axis + 2);
  return transposeConstant(graph, weights, inversePerm(order));
}

void permuteAttributes(Op& op, size_t rank, const Perm& perm) {
  switch (opInfo(op.kind).order) {
  case OrderRule::Axis:
    return renumberAxis(op, rank, perm);
  case OrderRule::Axes:
    return renumberAxes(op, rank, perm);
  case OrderRule::Pads:
    return permutePads(op, rank, perm);
  case OrderRule::Repeats:
    op.attrs.set("repeats", moveValues(op.attrs.getInts("repeats"), perm));
    return;
  case OrderRule::Channels:
    return permuteWindows(op, perm);
  case OrderRule::Any:
  case OrderRule::Fixed:
    return;
  }
}

/// The operand with leading dimensions of size 1 up to `rank`.
TensorId raiseRank(Graph& graph, OpId user, TensorId id, size_t rank) {
  Tensor tensor = graph.tensor(id);
  std::vector<int64_t> dims(rank - tensor.shape.rank(), 1);
  dims.insert(dims.end(), tensor.shape.begin(), tensor.shape.end());
  if (tensor.quant && tensor.quant->perChannel())
    tensor.quant->axis += static_cast<int>(rank - tensor.shape.rank());
  tensor.shape = Shape(dims);
  tensor.name = graph.uniqueName(tensor.name + "_r");
  const TensorId result = graph.addTensor(std::move(tensor));
  if (graph.tensor(id).isConstant())
    return result;
  Op reshape;
  reshape.kind = OpKind::Reshape;
  reshape.name = graph.uniqueName(graph.tensor(id).name + "_reshape");
  reshape.inputs = {id};
  reshape.outputs = {result};
  reshape.attrs.set("shape", dims);
  graph.insertBefore(user, std::move(reshape));
  return result;
}

/// s for the operand x = Transpose(s, perm).
TensorId unpermuted(Graph& graph, OpId user, TensorId id, const Perm& perm) {
  if (graph.tensor(id).elements() == 1 && graph.tensor(id).isConstant())
    return id; // broadcasts equally in any order
  if (graph.tensor(id).shape.rank() < perm.size())
    id = raiseRank(graph, user, id, perm.size());
  if (graph.tensor(id).isConstant())
    return transposeConstant(graph, id, inversePerm(perm));
  Perm order = inversePerm(perm);
  if (const auto inner = transposePerm(graph, id)) {
    order = composePerm(*inner, order);
    id = graph.op(graph.producer(id)).input(0);
  }
  return isIdentityPerm(order) ? id : insertTransposeBefore(graph, user, id, order);
}

/// The dimensions of its operand that a reduction drops; all false for other operators.
std::vector<bool> droppedAxes(const Graph& graph, const Op& op) {
  std::vector<bool> dropped(graph.tensor(op.input(0)).shape.rank(), false);
  if (opInfo(op.kind).attribute("keepdims") == nullptr || op.attrs.getInt("keepdims", 1) != 0)
    return dropped;
  std::vector<int64_t> axes(dropped.size());
  std::iota(axes.begin(), axes.end(), 0);
  axes = opInfo(op.kind).attribute("axis") != nullptr
             ? std::vector<int64_t>{op.attrs.getInt("axis", 0)}
             : op.attrs.getInts("axes", axes);
  for (const int64_t axis : axes)
    dropped[*normalizeAxis(axis, dropped.size())] = true;
  return dropped;
}

/// The ranks of the entries of `places`, which are distinct: {2, 7, 3} gives {0, 2, 1}.
Perm ranked(const std::vector<int64_t>& places) {
  Perm rank;
  for (const int64_t place : places)
    rank.push_back(
        std::count_if(places.begin(), places.end(), [&](int64_t other) { return other < place; }));
  return rank;
}

/// Whether `perm` keeps batch and channels of a window operator's channels-last operand. Weights
/// must be constants, as they are permuted as well.
bool movesOnlyWindows(const Graph& graph, const Op& op, const Perm& perm) {
  const bool window = opInfo(op.kind).attribute("kernel_shape") != nullptr;
  const bool known = op.inputs.size() < 2 || graph.tensor(op.input(1)).isConstant();
  return window && known && graph.layout() == Layout::ChannelsLast && perm.size() > 2 &&
         perm.size() == graph.tensor(op.input(0)).shape.rank() && perm.front() == 0 &&
         perm.back() == static_cast<int64_t>(perm.size()) - 1 && !op.attrs.has("output_shape") &&
         op.attrs.has("kernel_shape");
}

} // namespace

std::vector<size_t> permutedSlots(const Op& op) {
  if (opInfo(op.kind).order == OrderRule::Channels)
    return {0}; // the others are weights
  return isElementwise(op.kind) ? runtimeOperands(op) : dataOperands(op);
}

bool isElementwise(OpKind kind) { return opInfo(kind).category == OpCategory::Pointwise; }

bool isPermutable(const Graph& graph, OpId id, const Perm& perm) {
  const Op& op = graph.op(id);
  const OpInfo& info = opInfo(op.kind);
  if (info.order == OrderRule::Fixed ||
      (info.order == OrderRule::Channels && !movesOnlyWindows(graph, op, perm)))
    return false;
  // The order of arguments that are still operands cannot be changed.
  for (size_t i = 0; i < op.inputs.size() && info.order != OrderRule::Any; ++i)
    if (op.inputs[i] && i < info.operands.size() && info.operands[i].compileTime)
      return false;
  // The axis of a per-channel quantized activation changes, too.
  for (const auto* operands : {&op.inputs, &op.outputs})
    for (const TensorId operand : *operands)
      if (operand && !graph.tensor(operand).isConstant() && graph.tensor(operand).quant &&
          graph.tensor(operand).quant->perChannel())
        return false;
  return true;
}

Perm resultPerm(const Graph& graph, OpId id, const Perm& perm) {
  const Op& op = graph.op(id);
  if (graph.tensor(op.output()).shape.rank() == perm.size())
    return perm;
  const std::vector<bool> dropped = droppedAxes(graph, op);
  std::vector<int64_t> places;
  for (size_t i = 0; i < perm.size(); ++i)
    if (!dropped[i])
      places.push_back(perm[i]);
  return ranked(places);
}

Perm operandPerm(const Graph& graph, OpId id, const Perm& perm) {
  const Op& op = graph.op(id);
  const std::vector<bool> dropped = droppedAxes(graph, op);
  const auto kept = static_cast<size_t>(std::count(dropped.begin(), dropped.end(), false));
  if (kept == dropped.size() || kept != perm.size())
    return perm;
  // Steps leave space for dropped dimensions: before the next kept one, otherwise after the last.
  const auto step = static_cast<int64_t>(2 * dropped.size());
  std::vector<int64_t> places(dropped.size());
  size_t result = 0;
  for (size_t i = 0; i < dropped.size(); ++i)
    if (!dropped[i])
      places[i] = step * perm[result++];
    else if (result < kept)
      places[i] = step * perm[result] - static_cast<int64_t>(dropped.size() - i);
    else
      places[i] = (kept == 0 ? 0 : step * perm[kept - 1]) + static_cast<int64_t>(i);
  return ranked(places);
}

void permuteOp(Graph& graph, OpId id, const Perm& perm) {
  const Perm restore = resultPerm(graph, id, perm);
  std::vector<TensorId> inputs = graph.op(id).inputs;
  for (const size_t slot : permutedSlots(graph.op(id)))
    inputs[slot] = unpermuted(graph, id, inputs[slot], perm);
  if (opInfo(graph.op(id).kind).order == OrderRule::Channels && inputs.size() > 1)
    inputs[1] = permutedWeights(graph, inputs[1], perm);
  graph.setInputs(id, std::move(inputs));
  permuteAttributes(graph.editOp(id), perm.size(), perm);
  for (size_t i = 0; i < graph.op(id).outputs.size(); ++i)
    if (graph.op(id).outputs[i] && !isIdentityPerm(restore))
      transposeResult(graph, id, i, restore);
}

} // namespace tigris
