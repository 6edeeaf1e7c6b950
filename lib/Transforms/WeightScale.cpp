// The weights of an output channel times its factor, the bias times it plus the summand; in double.
#include "tigris/Transforms/WeightScale.h"

#include "tigris/Pass/Rewrite.h"

#include <algorithm>

namespace tigris {

namespace {

/// For every weight in row-major order the index of the output channel it contributes to.
std::vector<size_t> outputChannels(const Op& op, const Shape& weights) {
  std::vector<size_t> channels(static_cast<size_t>(weights.elements()));
  const bool transposed = op.kind == OpKind::ConvTranspose;
  const bool outputsFirst =
      op.kind != OpKind::Gemm ? !transposed : op.attrs.getInt("transB", 0) != 0;
  const int64_t rows = weights[0];
  const int64_t columns = weights[1];
  const int64_t inner = weights.elementsFrom(2);
  const int64_t rowsPerGroup = transposed ? rows / op.attrs.getInt("group", 1) : rows;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t channel = outputsFirst ? row : row / rowsPerGroup * columns + column;
      std::fill_n(channels.begin() + (row * columns + column) * inner, inner,
                  static_cast<size_t>(channel));
    }
  return channels;
}

bool acceptsFold(const Op& op) {
  switch (op.kind) {
  case OpKind::Conv:
  case OpKind::DepthwiseConv:
  case OpKind::Conv1D:
  case OpKind::ConvTranspose:
    return op.act == Activation::None;
  case OpKind::Gemm:
    return op.act == Activation::None && op.attrs.getFloat("alpha", 1) == 1 &&
           op.attrs.getFloat("beta", 1) == 1;
  default:
    return false;
  }
}

/// Bias of the op as one number per channel; nullopt when it is not a constant of that form.
std::optional<std::vector<float>> biasOf(const Graph& graph, const Op& op, size_t channels) {
  if (!op.input(2))
    return std::vector<float>(channels, 0.0F);
  auto bias = floatConstant(graph, op.input(2));
  if (!bias || bias->size() != channels || graph.tensor(op.input(2)).shape.rank() != 1)
    return std::nullopt;
  return bias;
}

} // namespace

size_t scalableChannels(const Graph& graph, OpId id, TensorId between) {
  const OpId target = between ? graph.producer(between) : OpId();
  if (!target || !graph.hasSingleUse(between) || graph.users(between).front() != id ||
      !acceptsFold(graph.op(target)) || !hasKnownTypes(graph, target))
    return 0;
  return static_cast<size_t>(graph.tensor(between).shape[1]);
}

bool scaleProducer(Graph& graph, OpId id, TensorId between, const ScaleAndShift& form) {
  if (scalableChannels(graph, id, between) != form.scale.size())
    return false;
  const OpId target = graph.producer(between);
  const Op& op = graph.op(target);
  auto weights = floatConstant(graph, op.input(1));
  auto bias = biasOf(graph, op, form.scale.size());
  if (!weights || !bias)
    return false;
  const Shape shape = graph.tensor(op.input(1)).shape;
  const std::vector<size_t> channels = outputChannels(op, shape);
  for (size_t i = 0; i < weights->size(); ++i)
    (*weights)[i] = static_cast<float>(double{(*weights)[i]} * form.scale[channels[i]]);
  for (size_t c = 0; c < bias->size(); ++c)
    (*bias)[c] = static_cast<float>(double{(*bias)[c]} * form.scale[c] + form.shift[c]);
  const std::string biasName =
      op.input(2) ? graph.tensor(op.input(2)).name : strCat(op.name, ".bias");
  const TensorId newWeights =
      addFloatConstant(graph, graph.tensor(op.input(1)).name, shape, *weights);
  const TensorId newBias =
      addFloatConstant(graph, biasName, Shape{static_cast<int64_t>(bias->size())}, *bias);
  graph.setInputs(target, {op.input(0), newWeights, newBias});
  takeOverResults(graph, target, id);
  return true;
}

} // namespace tigris
