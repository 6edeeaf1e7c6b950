// The shared edits. They use shape inference, so that no pass computes a shape by hand.
#include "tigris/Pass/Rewrite.h"

#include <algorithm>

namespace tigris {

namespace {

/// Further names are not useful, and fusing a chain of 100,000 operators would copy all of them at
/// every step.
constexpr size_t MaxOrigins = 64;

} // namespace

bool hasKnownTypes(const Graph& graph, OpId id) {
  const Op& op = graph.op(id);
  const auto known = [&](TensorId tensor) {
    return !tensor ||
           (graph.tensor(tensor).hasShape && graph.tensor(tensor).type != DType::Undefined);
  };
  return std::all_of(op.inputs.begin(), op.inputs.end(), known) &&
         std::all_of(op.outputs.begin(), op.outputs.end(), known);
}

void addOrigin(Op& into, const Op& from) {
  for (const std::string& name : from.origin)
    if (into.origin.size() < MaxOrigins &&
        std::find(into.origin.begin(), into.origin.end(), name) == into.origin.end())
      into.origin.push_back(name);
}

Op makeOpLike(const Graph& graph, OpId model, OpKind kind, std::vector<TensorId> inputs,
              AttrMap attrs) {
  Op op;
  op.kind = kind;
  op.name = graph.uniqueName(graph.op(model).name);
  op.inputs = std::move(inputs);
  op.attrs = std::move(attrs);
  op.origin = graph.op(model).origin;
  return op;
}

TensorId insertResult(Graph& graph, OpId position, Op op, const std::optional<QuantParam>& quant) {
  const KnownValues values(graph);
  const Expected<std::vector<ResultType>> types = inferResults(op, values);
  TIGRIS_CHECK_MSG(static_cast<bool>(types), types ? std::string() : types.error().message());
  Tensor result;
  result.name = graph.uniqueName(op.name + ".out");
  result.type = types->front().type;
  result.shape = types->front().shape;
  result.quant = quant;
  const TensorId id = graph.addTensor(std::move(result));
  op.outputs = {id};
  graph.insertBefore(position, std::move(op));
  return id;
}

namespace {

bool needsCopy(const Graph& graph, TensorId result, TensorId value) {
  return graph.isGraphOutput(result) &&
         (graph.isGraphInput(value) || graph.tensor(value).isConstant() ||
          graph.isGraphOutput(value));
}

} // namespace

void replaceByValue(Graph& graph, OpId id, TensorId value) {
  const TensorId result = graph.op(id).output();
  if (needsCopy(graph, result, value)) {
    rewriteInPlace(graph, id, OpKind::Reshape, {value},
                   {{"shape", graph.tensor(result).shape.dims()}});
    return;
  }
  graph.eraseOp(id);
  graph.replaceAllUses(result, value);
}

bool isOutputCopy(const Graph& graph, OpId id) {
  const Op& op = graph.op(id);
  return op.kind == OpKind::Reshape && op.inputs.size() == 1 &&
         graph.tensor(op.input(0)).shape == graph.tensor(op.output()).shape &&
         needsCopy(graph, op.output(), op.input(0));
}

void rewriteInPlace(Graph& graph, OpId id, OpKind kind, std::vector<TensorId> inputs,
                    AttrMap attrs) {
  graph.setInputs(id, std::move(inputs));
  Op& op = graph.editOp(id);
  op.kind = kind;
  op.unknownKind.clear();
  op.attrs = std::move(attrs);
}

void takeOverResults(Graph& graph, OpId into, OpId fused) {
  const std::vector<TensorId> results = graph.op(fused).outputs;
  addOrigin(graph.editOp(into), graph.op(fused));
  graph.eraseOp(fused);
  graph.setOutputs(into, results);
}

OpId soleReader(const Graph& graph, TensorId id) {
  return graph.hasSingleUse(id) ? graph.users(id).front() : OpId();
}

bool sameQuant(const Graph& graph, TensorId a, TensorId b) {
  return graph.tensor(a).quant == graph.tensor(b).quant;
}

std::optional<std::vector<float>> floatConstant(const Graph& graph, TensorId id) {
  if (!id)
    return std::nullopt;
  const Tensor& tensor = graph.tensor(id);
  if (!tensor.isConstant() || tensor.type != DType::Float32)
    return std::nullopt;
  return tensor.data->values<float>();
}

TensorId addFloatConstant(Graph& graph, std::string_view nameHint, Shape shape,
                          const std::vector<float>& values) {
  return graph.addConstant(nameHint, DType::Float32, std::move(shape), makeBlobOf(values));
}

TensorId transposeConstant(Graph& graph, TensorId id, const std::vector<int64_t>& perm) {
  const Tensor source = graph.tensor(id);
  const Shape shape = permute(source.shape, perm);
  const std::vector<int64_t> sourceStrides = rowMajorStrides(source.shape);
  const size_t size = dtypeSize(source.type);
  const auto from = source.data->bytes();
  std::vector<uint8_t> to(from.size());
  std::vector<int64_t> index(shape.rank(), 0);
  for (size_t at = 0; at < to.size(); at += size) {
    size_t offset = 0;
    for (size_t axis = 0; axis < index.size(); ++axis)
      offset += static_cast<size_t>(index[axis] * sourceStrides[static_cast<size_t>(perm[axis])]);
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(offset * size), size,
                to.begin() + static_cast<std::ptrdiff_t>(at));
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis])
        break;
      index[axis] = 0;
    }
  }
  const TensorId result =
      graph.addConstant(source.name, source.type, shape, makeBlob(std::move(to)));
  std::optional<QuantParam> quant = source.quant;
  if (quant && quant->perChannel())
    quant->axis = static_cast<int>(std::find(perm.begin(), perm.end(), quant->axis) - perm.begin());
  graph.editTensor(result).quant = std::move(quant);
  return result;
}

TensorId reshapeConstant(Graph& graph, TensorId id, Shape shape) {
  const Tensor source = graph.tensor(id);
  if (source.shape == shape)
    return id;
  if (source.quant && source.quant->perChannel()) {
    const auto axis = static_cast<size_t>(source.quant->axis);
    TIGRIS_CHECK(axis < shape.rank() && shape[axis] == source.shape[axis] &&
                 shape.elementsBefore(axis) == source.shape.elementsBefore(axis));
  }
  const TensorId result =
      graph.addConstant(source.name, source.type, std::move(shape), source.data);
  graph.editTensor(result).quant = source.quant;
  return result;
}

} // namespace tigris
