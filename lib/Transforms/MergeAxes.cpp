// merge-axes: operators compute with fewer axes, or with kept ones, between Reshapes, so that they
// can be cut.
#include "tigris/IR/Plan.h"
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>
#include <numeric>
#include <set>

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

A reduction along the rows keeps its axes, so that its result has one row and its operand may be
added up row by row:

    y = ReduceMax(x) {axes: [1], keepdims: 0}     ->   a = ReduceMax(x) {axes: [1], keepdims: 1}
                                                       y = Reshape(a)

Streamed stages compute by rows, the indices of the second axis. If the first of four axes has one
index, the rows of a product of two activations become the second axis, in the operators that follow
it and in Transposes before it, too. Attention thus needs only some rows of its scores at a time:

    s = MatMul(q, k)                  # q [1, 4, 64, 16], k [1, 4, 16, 64]
    p = Softmax(s) {axis: 3}
    y = MatMul(p, v)                  # v [1, 4, 64, 16]
    ->
    a = Reshape(q) {shape: [4, 64, 16]}
    b = Reshape(k) {shape: [4, 16, 64]}
    s = MatMul(a, b)
    p = Softmax(s) {axis: 2}
    c = Reshape(v) {shape: [4, 64, 16]}
    d = MatMul(p, c)
    y = Reshape(d) {shape: [1, 4, 64, 16]}

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

/// Of four axes, the first, which has one index, joins the second, and the third becomes the
/// second.
Keys rowsSecond() { return {0, 0, 1, 2}; }

bool isFirstSingle(const Graph& graph, TensorId id) {
  const Shape& shape = graph.tensor(id).shape;
  return shape.rank() == MostAxes && shape[0] == 1;
}

/// Whether the op is a product of activations, per index of its second axis.
bool isBatchedProduct(const Graph& graph, const Op& op) {
  return op.kind == OpKind::MatMul && isFirstSingle(graph, op.output()) &&
         isFirstSingle(graph, op.input(0)) && !graph.tensor(op.input(1)).isConstant() &&
         graph.tensor(op.input(1)).shape.rank() > 2;
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

/// Whether the op reduces all rows and drops their axis.
bool dropsRows(const Graph& graph, const Op& op) {
  const Shape& x = graph.tensor(op.input(0)).shape;
  const Ints axes = op.attrs.getInts("axes");
  return isReduction(op.kind) && x.rank() > 2 && x.rank() <= MostAxes && x[RowAxis] > 1 &&
         op.attrs.getInt("keepdims", 1) == 0 &&
         std::any_of(axes.begin(), axes.end(),
                     [&](int64_t axis) { return normalizeAxis(axis, x.rank()) == RowAxis; });
}

bool computesElements(const Op& op) {
  const OpClass opClass = opInfo(op.kind).opClass;
  return (opClass == OpClass::Elementwise || opClass == OpClass::Function ||
          opClass == OpClass::Quantization) &&
         op.inputs.size() < sizeof(size_t) * 8;
}

bool isProduct(const Graph& graph, const Op& op) {
  return op.kind == OpKind::MatMul && graph.tensor(op.output()).shape.rank() > MostAxes;
}

std::optional<Keys> keysOf(const Graph& graph, const Op& op) {
  const auto rank = [&](TensorId id) { return graph.tensor(id).shape.rank(); };
  if (computesElements(op) && rank(op.output()) > MostAxes)
    return keysOfBroadcast(shapesOf(graph, op), rank(op.output()));
  if (isProduct(graph, op))
    return keysOfProduct(shapesOf(graph, op));
  if ((op.kind == OpKind::Softmax || op.kind == OpKind::LogSoftmax) && rank(op.output()) > MostAxes)
    return keysOfSoftmax(graph, op);
  if (isReduction(op.kind) && rank(op.input(0)) > MostAxes)
    return keysOfReduction(graph, op);
  if (dropsRows(graph, op)) {
    Keys keys(rank(op.input(0)));
    std::iota(keys.begin(), keys.end(), size_t{0});
    return keys;
  }
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

/// The tensor before all Reshapes.
TensorId withoutReshapes(const Graph& graph, TensorId id) {
  for (OpId producer = graph.producer(id); producer && graph.op(producer).kind == OpKind::Reshape &&
                                           sameQuant(graph, id, graph.op(producer).input(0));
       producer = graph.producer(id))
    id = graph.op(producer).input(0);
  return id;
}

/// The tensor with another shape: a constant, a source of its Reshapes, or a new Reshape.
TensorId withShape(Graph& graph, OpId reader, TensorId id, const Shape& shape) {
  if (!id || graph.tensor(id).shape == shape)
    return id;
  if (graph.tensor(id).isConstant())
    return reshapeConstant(graph, id, shape);
  const TensorId source = withoutReshapes(graph, id);
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
  } else if (op.kind == OpKind::Transpose) {
    Ints perm;
    for (const int64_t axis : op.attrs.getInts("perm"))
      if (axis != 0) // it has joined the next
        perm.push_back(groupOf(axis));
    attrs.set("perm", perm);
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
  if (!product && !computesElements(graph.op(id)))
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

/// Makes the op compute with merged axes. Returns its result.
TensorId mergeAxesOf(Graph& graph, OpId id, const Keys& keys) {
  std::vector<TensorId> inputs = graph.op(id).inputs;
  for (TensorId& input : inputs) {
    // The last two axes of a matrix are not merged, and a matrix may lack the others.
    const bool isMatrix =
        graph.op(id).kind == OpKind::MatMul && graph.tensor(input).shape.rank() == 2;
    if (input && !isMatrix)
      input = withShape(graph, id, input, mergedShape(graph.tensor(input).shape, keys));
  }
  const TensorId result = graph.op(id).output();
  graph.editOp(id).attrs = mergedAttrs(graph.op(id), keys);
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
  return part;
}

class MergeAxes {
public:
  explicit MergeAxes(Graph& graph) : graph_(graph) {}

  bool visit(OpId id) {
    if (!hasKnownTypes(graph_, id) || graph_.op(id).outputs.size() != 1 ||
        needsItsAxes(graph_, graph_.op(id)))
      return false;
    if (isBatchedProduct(graph_, graph_.op(id)))
      return mergeProduct(id);
    if (followsProduct(graph_.op(id))) {
      byRows_.insert(mergeAxesOf(graph_, id, rowsSecond()));
      return true;
    }
    std::optional<Keys> keys = keysOf(graph_, graph_.op(id));
    if (keys && groupsOf(*keys) > MostAxes)
      keys = repeatOperands(graph_, id) ? keysOf(graph_, graph_.op(id)) : std::nullopt;
    if (keys)
      mergeAxesOf(graph_, id, *keys);
    return keys.has_value();
  }

private:
  bool mergeProduct(OpId id) {
    const std::vector<TensorId> inputs = graph_.op(id).inputs;
    for (const TensorId input : inputs) {
      const OpId producer = graph_.producer(input);
      if (producer && isTranspose(graph_.op(producer)) && soleReader(graph_, input) == id &&
          !needsItsAxes(graph_, graph_.op(producer)))
        mergeAxesOf(graph_, producer, rowsSecond());
    }
    byRows_.insert(mergeAxesOf(graph_, id, rowsSecond()));
    return true;
  }

  /// Whether the op only moves axes behind the first, which has one index.
  bool isTranspose(const Op& op) const {
    return op.kind == OpKind::Transpose && isFirstSingle(graph_, op.input(0)) &&
           op.attrs.getInts("perm").at(0) == 0;
  }

  /// Whether the op continues with the rows of a product.
  bool followsProduct(const Op& op) const {
    if (!isFirstSingle(graph_, op.output()) ||
        std::none_of(op.inputs.begin(), op.inputs.end(), [&](TensorId input) {
          return input && isFirstSingle(graph_, input) &&
                 byRows_.count(withoutReshapes(graph_, input)) != 0 &&
                 graph_.tensor(withoutReshapes(graph_, input)).shape ==
                     mergedShape(graph_.tensor(input).shape, rowsSecond());
        }))
      return false;
    if (op.kind == OpKind::Softmax || op.kind == OpKind::LogSoftmax)
      return normalizeAxis(op.attrs.getInt("axis", -1), MostAxes) >= 2;
    return computesElements(op) || isTranspose(op);
  }

  Graph& graph_;
  /// Results whose rows are their second axis.
  std::set<TensorId> byRows_;
};

PassStatus mergeAxes(Graph& graph, PassContext&) {
  MergeAxes pass(graph);
  return forEachOp(graph, [&](OpId id) { return pass.visit(id); });
}

} // namespace

PassInfo mergeAxesPass() {
  return functionPass("merge-axes", "operators compute with axes along which they can be cut",
                      MergeAxesDoc, mergeAxes);
}

} // namespace tigris
