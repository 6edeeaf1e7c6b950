// merge-axes: operators on more than four axes compute with fewer, between Reshapes.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr const char* MergeAxesDoc =
    R"(Tiles cut at most four axes. An operator on tensors of more axes treats neighbors alike: an
element-wise operator those along which each operand either has all indices or is repeated, a matrix
product such axes before the last two, a softmax and a reduction those on the same side of their
axes. Such neighbors become one axis, by Reshapes, which move nothing:

    y = Add(x, b)                     # x [2, 4, 8, 8, 16], b [1, 4, 1, 1, 16]
    ->
    a = Reshape(x) {shape: [2, 4, 64, 16]}
    c = Reshape(b) {shape: [1, 4, 1, 16]}
    d = Add(a, c)
    y = Reshape(d) {shape: [2, 4, 8, 8, 16]}

The axes of a product before its rows that only the first operand has become rows, if that is
needed. If more than four axes remain, one or two axes of operands that have one index there are
repeated, those with the smallest result:

    y = Add(x, b)                     # x [2, 8, 8, 8, 16], b [2, 1, 8, 1, 16]
    ->
    a = Reshape(x) {shape: [128, 8, 16]}
    c = Gather(Reshape(b) {shape: [2, 1, 128]}, [0, 0, 0, 0, 0, 0, 0, 0]) {axis: 1}
    d = Add(a, Reshape(c) {shape: [128, 1, 16]})
    y = Reshape(d) {shape: [2, 8, 8, 8, 16]})";

constexpr size_t MostAxes = 4;

using Ints = std::vector<int64_t>;

/// Neighboring axes of the op's longest shape with equal keys become one axis.
using Keys = std::vector<size_t>;

/// The size of the axis `axis` of a result with `rank` axes in an operand, aligned at the ends.
int64_t alignedSize(const Shape& shape, size_t axis, size_t rank) {
  const size_t missing = rank - shape.rank();
  return axis < missing ? 1 : shape[axis - missing];
}

/// The shapes of the operands and the result of an op. An absent operand has no axes.
struct OpShapes {
  std::vector<Shape> operands;
  Shape result;
};

OpShapes shapesOf(const Graph& graph, const Op& op) {
  OpShapes shapes = {{}, graph.tensor(op.output()).shape};
  for (const TensorId input : op.inputs)
    shapes.operands.push_back(input ? graph.tensor(input).shape : Shape());
  return shapes;
}

size_t groupsOf(const Keys& keys) {
  size_t groups = keys.empty() ? 0 : 1;
  for (size_t i = 1; i < keys.size(); ++i)
    groups += keys[i] != keys[i - 1] ? 1 : 0;
  return groups;
}

/// One bit per operand that has all indices of the axis. Axes of one index have the key of a
/// neighbor.
Keys keysOfBroadcast(const OpShapes& shapes, size_t axes) {
  const Shape& y = shapes.result;
  Keys keys;
  for (size_t axis = 0; axis < axes; ++axis) {
    size_t key = 0;
    for (size_t i = 0; i < shapes.operands.size(); ++i)
      if (alignedSize(shapes.operands[i], axis, y.rank()) == y[axis])
        key |= size_t{1} << i;
    const bool isSingle = y[axis] == 1;
    if (!isSingle && std::all_of(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(axis),
                                 [](int64_t size) { return size == 1; }))
      std::fill(keys.begin(), keys.end(), key);
    keys.push_back(isSingle && !keys.empty() ? keys.back() : key);
  }
  return keys;
}

std::optional<Keys> keysOfProduct(const OpShapes& shapes) {
  constexpr size_t OnlyFirst = 1;
  constexpr size_t Rows = 4;
  constexpr size_t Columns = 5;
  const std::vector<Shape>& operands = shapes.operands;
  if (operands.size() != 2 || operands[0].rank() < 2 || operands[1].rank() < 2)
    return std::nullopt;
  Keys keys = keysOfBroadcast(shapes, shapes.result.rank() - 2);
  const size_t batches = keys.size();
  keys.push_back(Rows);
  keys.push_back(Columns);
  for (size_t i = batches; i-- > 0 && keys[i] == OnlyFirst && groupsOf(keys) > MostAxes;)
    keys[i] = Rows;
  return keys;
}

Keys keysOfSoftmax(const Graph& graph, const Op& op) {
  const size_t rank = graph.tensor(op.output()).shape.rank();
  const size_t axis = *normalizeAxis(op.attrs.getInt("axis", -1), rank);
  Keys keys;
  for (size_t i = 0; i < rank; ++i)
    keys.push_back(i < axis ? 0 : i == axis ? 1 : 2);
  return keys;
}

std::optional<Keys> keysOfReduction(const Graph& graph, const Op& op) {
  Keys keys(graph.tensor(op.input(0)).shape.rank(), 0);
  const Ints axes = op.attrs.getInts("axes");
  if (axes.empty())
    return std::nullopt;
  for (const int64_t axis : axes)
    keys.at(*normalizeAxis(axis, keys.size())) = 1;
  return keys;
}

bool isReduction(OpKind kind) {
  return opInfo(kind).opClass == OpClass::Reduction || opInfo(kind).opClass == OpClass::Norm;
}

bool isElementwise(const Graph& graph, const Op& op) {
  const OpClass opClass = opInfo(op.kind).opClass;
  return (opClass == OpClass::Elementwise || opClass == OpClass::Function ||
          opClass == OpClass::Quantization) &&
         op.inputs.size() < sizeof(size_t) * 8 && graph.tensor(op.output()).shape.rank() > MostAxes;
}

bool isProduct(const Graph& graph, const Op& op) {
  return op.kind == OpKind::MatMul && graph.tensor(op.output()).shape.rank() > MostAxes;
}

std::optional<Keys> keysOf(const Graph& graph, const Op& op) {
  const auto rank = [&](TensorId id) { return graph.tensor(id).shape.rank(); };
  if (isElementwise(graph, op))
    return keysOfBroadcast(shapesOf(graph, op), rank(op.output()));
  if (isProduct(graph, op))
    return keysOfProduct(shapesOf(graph, op));
  if ((op.kind == OpKind::Softmax || op.kind == OpKind::LogSoftmax) && rank(op.output()) > MostAxes)
    return keysOfSoftmax(graph, op);
  if (isReduction(op.kind) && rank(op.input(0)) > MostAxes)
    return keysOfReduction(graph, op);
  return std::nullopt;
}

/// The shape with merged axes. A shorter shape is extended by axes of one index.
Shape mergedShape(const Shape& shape, const Keys& keys) {
  Ints dims;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || keys[i] != keys[i - 1])
      dims.push_back(1);
    dims.back() *= alignedSize(shape, i, keys.size());
  }
  return Shape(dims);
}

/// The tensor with another shape: a constant, a source of its Reshapes, or a new Reshape.
TensorId withShape(Graph& graph, OpId reader, TensorId id, const Shape& shape) {
  if (!id || graph.tensor(id).shape == shape)
    return id;
  if (graph.tensor(id).isConstant())
    return reshapeConstant(graph, id, shape);
  TensorId source = id;
  for (OpId producer = graph.producer(source);
       producer && graph.op(producer).kind == OpKind::Reshape &&
       sameQuant(graph, source, graph.op(producer).input(0));
       producer = graph.producer(source))
    source = graph.op(producer).input(0);
  if (graph.tensor(source).shape == shape)
    return source;
  return insertResult(
      graph, reader,
      makeOpLike(graph, reader, OpKind::Reshape, {source}, {{"shape", shape.dims()}}),
      graph.tensor(id).quant);
}

/// The attributes of the op on merged axes.
AttrMap mergedAttrs(const Op& op, const Keys& keys) {
  AttrMap attrs = op.attrs;
  const auto groupOf = [&](int64_t axis) {
    const auto at = static_cast<std::ptrdiff_t>(*normalizeAxis(axis, keys.size()));
    return static_cast<int64_t>(groupsOf(Keys(keys.begin(), keys.begin() + at + 1))) - 1;
  };
  if (isReduction(op.kind)) {
    Ints axes;
    for (const int64_t axis : op.attrs.getInts("axes"))
      axes.push_back(groupOf(axis));
    std::sort(axes.begin(), axes.end());
    axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
    attrs.set("axes", axes);
    attrs.set("keepdims", int64_t{1});
  } else if (op.kind == OpKind::Softmax || op.kind == OpKind::LogSoftmax) {
    attrs.set("axis", groupOf(op.attrs.getInt("axis", -1)));
  }
  return attrs;
}

/// Whether a scale applies to one index of an axis, or a tensor has no elements.
bool needsItsAxes(const Graph& graph, const Op& op) {
  const auto needs = [&](TensorId id) {
    return id && ((graph.tensor(id).quant && graph.tensor(id).quant->perChannel()) ||
                  graph.tensor(id).elements() == 0);
  };
  return std::any_of(op.inputs.begin(), op.inputs.end(), needs) || needs(op.output());
}

/// An axis of the result along which an operand of one index is repeated.
struct Repeat {
  size_t operand = 0;
  size_t axis = 0;
};

std::vector<Repeat> possibleRepeats(const OpShapes& shapes, size_t axes) {
  std::vector<Repeat> repeats;
  const size_t rank = shapes.result.rank();
  for (size_t i = 0; i < shapes.operands.size(); ++i)
    for (size_t axis = 0; axis < axes && shapes.operands[i].rank() != 0; ++axis)
      if (shapes.result[axis] != 1 && alignedSize(shapes.operands[i], axis, rank) == 1)
        repeats.push_back({i, axis});
  return repeats;
}

/// The shape with as many axes as the result, and all its indices along one.
Shape repeatedShape(const Shape& shape, const Shape& result, size_t repeated) {
  Ints dims;
  for (size_t axis = 0; axis < result.rank(); ++axis)
    dims.push_back(axis == repeated ? result[axis] : alignedSize(shape, axis, result.rank()));
  return Shape(dims);
}

/// Elements of the repeated operands; nullopt if more than four axes remain.
std::optional<int64_t> costOf(OpShapes shapes, bool isProduct, const std::vector<Repeat>& repeats) {
  int64_t elements = 0;
  for (const Repeat& repeat : repeats) {
    Shape& shape = shapes.operands[repeat.operand];
    shape = repeatedShape(shape, shapes.result, repeat.axis);
    elements += shape.elements();
  }
  const std::optional<Keys> keys =
      isProduct ? keysOfProduct(shapes) : keysOfBroadcast(shapes, shapes.result.rank());
  if (!keys || groupsOf(*keys) > MostAxes)
    return std::nullopt;
  return elements;
}

/// One or two repeats of the fewest elements, at most those of the result, after which four axes
/// remain. Empty if there are none.
std::vector<Repeat> bestRepeats(const OpShapes& shapes, bool isProduct) {
  const size_t axes = shapes.result.rank() - (isProduct ? 2 : 0);
  const std::vector<Repeat> all = possibleRepeats(shapes, axes);
  std::vector<Repeat> best;
  int64_t least = shapes.result.elements() + 1;
  const auto tryRepeats = [&](std::vector<Repeat> repeats) {
    const std::optional<int64_t> cost = costOf(shapes, isProduct, repeats);
    if (!cost || *cost >= least)
      return;
    least = *cost;
    best = std::move(repeats);
  };
  for (size_t i = 0; i < all.size(); ++i) {
    tryRepeats({all[i]});
    for (size_t k = i + 1; k < all.size(); ++k)
      tryRepeats({all[i], all[k]});
  }
  return best;
}

TensorId repeatConstant(Graph& graph, TensorId id, const Shape& shape, size_t axis) {
  const Tensor source = graph.tensor(id);
  const auto from = source.data->bytes();
  const auto block = static_cast<std::ptrdiff_t>(from.size()) /
                     static_cast<std::ptrdiff_t>(shape.elementsBefore(axis));
  std::vector<uint8_t> to;
  for (auto at = from.begin(); at != from.end(); at += block)
    for (int64_t i = 0; i < shape[axis]; ++i)
      to.insert(to.end(), at, at + block);
  const TensorId result =
      graph.addConstant(source.name, source.type, shape, makeBlob(std::move(to)));
  graph.editTensor(result).quant = source.quant;
  return result;
}

/// The tensor repeated along an axis of `shape`. The Gather has three axes, so that it can be cut.
TensorId repeatTensor(Graph& graph, OpId reader, TensorId id, const Shape& shape, size_t axis) {
  if (graph.tensor(id).isConstant())
    return repeatConstant(graph, id, shape, axis);
  const std::optional<QuantParam> quant = graph.tensor(id).quant;
  const Ints indices(static_cast<size_t>(shape[axis]), 0);
  const int64_t before = shape.elementsBefore(axis);
  const TensorId lines =
      withShape(graph, reader, id, Shape{before, 1, shape.elements() / before / shape[axis]});
  const TensorId table = graph.addConstant(graph.op(reader).name + ".indices", DType::Int64,
                                           Shape{shape[axis]}, makeBlobOf(indices));
  const TensorId repeated = insertResult(
      graph, reader,
      makeOpLike(graph, reader, OpKind::Gather, {lines, table}, {{"axis", int64_t{1}}}), quant);
  return withShape(graph, reader, repeated, shape);
}

bool repeatOperands(Graph& graph, OpId id) {
  const bool product = isProduct(graph, graph.op(id));
  if (!product && !isElementwise(graph, graph.op(id)))
    return false;
  const Shape y = graph.tensor(graph.op(id).output()).shape;
  const std::vector<Repeat> repeats = bestRepeats(shapesOf(graph, graph.op(id)), product);
  for (const Repeat& repeat : repeats) {
    std::vector<TensorId> inputs = graph.op(id).inputs;
    TensorId& input = inputs[repeat.operand];
    Shape shape = repeatedShape(graph.tensor(input).shape, y, repeat.axis);
    input = repeatTensor(graph, id, input, shape, repeat.axis);
    graph.setInputs(id, std::move(inputs));
  }
  return !repeats.empty();
}

bool mergeAxesOf(Graph& graph, OpId id) {
  if (!hasKnownTypes(graph, id) || graph.op(id).outputs.size() != 1)
    return false;
  std::optional<Keys> keys = keysOf(graph, graph.op(id));
  if (!keys || needsItsAxes(graph, graph.op(id)))
    return false;
  if (groupsOf(*keys) > MostAxes) {
    if (!repeatOperands(graph, id))
      return false;
    keys = keysOf(graph, graph.op(id));
  }
  std::vector<TensorId> inputs = graph.op(id).inputs;
  for (TensorId& input : inputs) {
    // The last two axes of a matrix are not merged, and a matrix may lack the others.
    const bool isMatrix =
        graph.op(id).kind == OpKind::MatMul && graph.tensor(input).shape.rank() == 2;
    if (input && !isMatrix)
      input = withShape(graph, id, input, mergedShape(graph.tensor(input).shape, *keys));
  }
  const TensorId result = graph.op(id).output();
  graph.editOp(id).attrs = mergedAttrs(graph.op(id), *keys);
  graph.setInputs(id, std::move(inputs));
  Tensor merged = graph.tensor(result);
  merged.name = graph.uniqueName(merged.name);
  merged.shape = inferResults(graph.op(id), KnownValues(graph))->front().shape;
  const TensorId part = graph.addTensor(std::move(merged));
  graph.setOutputs(id, {part});
  Op back = makeOpLike(graph, id, OpKind::Reshape, {part},
                       {{"shape", graph.tensor(result).shape.dims()}});
  back.outputs = {result};
  graph.insertAfter(id, std::move(back));
  return true;
}

PassStatus mergeAxes(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) { return mergeAxesOf(graph, id); });
}

} // namespace

PassInfo mergeAxesPass() {
  return functionPass("merge-axes", "operators on more than four axes compute with fewer",
                      MergeAxesDoc, mergeAxes);
}

} // namespace tigris
