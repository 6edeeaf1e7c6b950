// batch-norm-fold: batch normalization becomes part of the weights before it, or one multiply and add.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>
#include <cmath>

namespace tigris {

namespace {

constexpr const char* Doc = R"(A trained batch normalization is a fixed scale and shift per channel:

    a = gamma / sqrt(variance + epsilon)        y = a * x + (beta - a * mean)

After a convolution or Gemm that nobody else reads it costs nothing, because both go into the weights:

    t = Conv(x, w, b)
    y = BatchNormalization(t, ...)     ->   y = Conv(x, a * w, a * b + beta - a * mean)

Elsewhere it becomes BatchNorm(x, scale, bias) with the two constants above. They are computed in double.
Quantized tensors are left alone: scaling the weights would change their integers.)";

struct ScaleAndShift {
  std::vector<double> scale;
  std::vector<double> shift;
};

std::optional<ScaleAndShift> inferenceForm(const Graph& graph, const Op& op) {
  const auto gamma = floatConstant(graph, op.input(1));
  const auto beta = floatConstant(graph, op.input(2));
  const auto mean = floatConstant(graph, op.input(3));
  const auto variance = floatConstant(graph, op.input(4));
  if (!gamma || !beta || !mean || !variance || gamma->size() != variance->size() ||
      beta->size() != gamma->size() || mean->size() != gamma->size())
    return std::nullopt;
  const double epsilon = op.attrs.getFloat("epsilon", 1e-5);
  ScaleAndShift form;
  for (size_t c = 0; c < gamma->size(); ++c) {
    const double scale = double{(*gamma)[c]} / std::sqrt(double{(*variance)[c]} + epsilon);
    form.scale.push_back(scale);
    form.shift.push_back(double{(*beta)[c]} - scale * double{(*mean)[c]});
  }
  return form;
}

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

bool foldIntoProducer(Graph& graph, OpId id, const ScaleAndShift& form) {
  const TensorId between = graph.op(id).input(0);
  const OpId target = graph.producer(between);
  if (!target || !graph.hasSingleUse(between) || !acceptsFold(graph.op(target)))
    return false;
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

void becomeBatchNorm(Graph& graph, OpId id, const ScaleAndShift& form) {
  const Op& op = graph.op(id);
  const Shape shape{static_cast<int64_t>(form.scale.size())};
  const TensorId scale = addFloatConstant(graph, strCat(op.name, ".scale"), shape,
                                          {form.scale.begin(), form.scale.end()});
  const TensorId bias = addFloatConstant(graph, strCat(op.name, ".bias"), shape,
                                         {form.shift.begin(), form.shift.end()});
  rewriteInPlace(graph, id, OpKind::BatchNorm, {op.input(0), scale, bias}, {});
}

PassStatus run(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if (op.kind != OpKind::BatchNormalization || !hasKnownTypes(graph, id) ||
        op.attrs.getInt("training_mode", 0) != 0 || op.attrs.getInt("spatial", 1) == 0 ||
        op.outputs.size() != 1 || graph.tensor(op.input(0)).quant ||
        graph.tensor(op.output()).quant)
      return false;
    const auto form = inferenceForm(graph, op);
    if (!form)
      return false;
    if (!foldIntoProducer(graph, id, *form))
      becomeBatchNorm(graph, id, *form);
    return true;
  });
}

} // namespace

PassInfo batchNormFoldPass() {
  return functionPass("batch-norm-fold", "batch normalization goes into the weights before it", Doc,
                      run);
}

} // namespace tigris
