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
    y = Reshape(d) {shape: [2, 4, 8, 8, 16]})";

constexpr size_t MostAxes = 4;

using Ints = std::vector<int64_t>;

/// Neighboring axes of the op's longest shape with equal keys become one axis.
using Keys = std::vector<size_t>;

/// The size of the axis `axis` of a result with `rank` axes in an operand, aligned at the ends.
int64_t alignedSize(const Shape& shape, size_t axis, size_t rank) {
  const size_t missing = rank - shape.rank();
  return axis < missing ? 1 : shape[axis - missing];
}

/// One bit per operand that has all indices of the axis. Axes of one index have the key of a
/// neighbor.
Keys keysOfBroadcast(const Graph& graph, const Op& op, size_t axes) {
  const Shape& y = graph.tensor(op.output()).shape;
  Keys keys;
  for (size_t axis = 0; axis < axes; ++axis) {
    size_t key = 0;
    for (size_t i = 0; i < op.inputs.size(); ++i)
      if (op.input(i) && alignedSize(graph.tensor(op.input(i)).shape, axis, y.rank()) == y[axis])
        key |= size_t{1} << i;
    const bool isSingle = y[axis] == 1;
    if (!isSingle && std::all_of(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(axis),
                                 [](int64_t size) { return size == 1; }))
      std::fill(keys.begin(), keys.end(), key);
    keys.push_back(isSingle && !keys.empty() ? keys.back() : key);
  }
  return keys;
}

std::optional<Keys> keysOfProduct(const Graph& graph, const Op& op) {
  const size_t rank = graph.tensor(op.output()).shape.rank();
  if (graph.tensor(op.input(0)).shape.rank() < 2 || graph.tensor(op.input(1)).shape.rank() < 2 ||
      op.inputs.size() > 2)
    return std::nullopt;
  Keys keys = keysOfBroadcast(graph, op, rank - 2);
  const size_t other = size_t{1} << op.inputs.size();
  keys.push_back(other);
  keys.push_back(other + 1);
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

std::optional<Keys> keysOf(const Graph& graph, const Op& op) {
  const auto rank = [&](TensorId id) { return graph.tensor(id).shape.rank(); };
  if (isElementwise(graph, op))
    return keysOfBroadcast(graph, op, rank(op.output()));
  if (op.kind == OpKind::MatMul && rank(op.output()) > MostAxes)
    return keysOfProduct(graph, op);
  if ((op.kind == OpKind::Softmax || op.kind == OpKind::LogSoftmax) && rank(op.output()) > MostAxes)
    return keysOfSoftmax(graph, op);
  if (isReduction(op.kind) && rank(op.input(0)) > MostAxes)
    return keysOfReduction(graph, op);
  return std::nullopt;
}

size_t groupsOf(const Keys& keys) {
  size_t groups = keys.empty() ? 0 : 1;
  for (size_t i = 1; i < keys.size(); ++i)
    groups += keys[i] != keys[i - 1] ? 1 : 0;
  return groups;
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

bool mergeAxesOf(Graph& graph, OpId id) {
  if (!hasKnownTypes(graph, id) || graph.op(id).outputs.size() != 1)
    return false;
  const std::optional<Keys> keys = keysOf(graph, graph.op(id));
  if (!keys || groupsOf(*keys) > MostAxes || needsItsAxes(graph, graph.op(id)))
    return false;
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
