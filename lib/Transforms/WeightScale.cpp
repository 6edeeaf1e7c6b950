// Multiplies the weights of a channel by its factor and adds the effect of the summands to the
// bias, in double precision.
#include "tigris/Transforms/WeightScale.h"

#include "tigris/Pass/Rewrite.h"

#include <algorithm>

namespace tigris {

namespace {

/// For every weight in row-major order: the index of the output channel it contributes to.
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

/// Bias of the op as one number per channel; nullopt if it is not a constant of that form.
std::optional<std::vector<float>> biasOf(const Graph& graph, const Op& op, size_t channels) {
  if (!op.input(2))
    return std::vector<float>(channels, 0.0F);
  auto bias = floatConstant(graph, op.input(2));
  if (!bias || bias->size() != channels || graph.tensor(op.input(2)).shape.rank() != 1)
    return std::nullopt;
  return bias;
}

/// The values per channel of a constant that broadcasts to a tensor with `channels` on axis 1.
std::optional<std::vector<double>> perChannel(const Graph& graph, TensorId id, const Shape& result,
                                              size_t channels) {
  const auto values = id ? floatConstant(graph, id) : std::nullopt;
  if (!values)
    return std::nullopt;
  if (values->size() == 1)
    return std::vector<double>(channels, double{(*values)[0]});
  const Shape& shape = graph.tensor(id).shape;
  const size_t fromBack = result.rank() - 2; // of axis 1
  if (values->size() != channels || shape.rank() <= fromBack ||
      shape.fromBack(fromBack) != static_cast<int64_t>(channels))
    return std::nullopt;
  return std::vector<double>(values->begin(), values->end());
}

/// For every weight in row-major order: the channel of operand 0 it is multiplied by; nullopt for
/// operators with another layout of weights.
std::optional<std::vector<size_t>> inputChannels(const Op& op, const Shape& weights,
                                                 size_t outputs) {
  const bool transposed = op.kind == OpKind::Gemm && op.attrs.getInt("transB", 0) == 0;
  if (op.kind == OpKind::ConvTranspose || op.attrs.getInt("transA", 0) != 0)
    return std::nullopt;
  const int64_t groups = op.kind == OpKind::Gemm ? 1 : op.attrs.getInt("group", 1);
  const auto rowsPerGroup = static_cast<int64_t>(outputs) / groups;
  const int64_t inner = weights.elementsFrom(2);
  std::vector<size_t> channels(static_cast<size_t>(weights.elements()));
  for (int64_t row = 0; row < weights[0]; ++row)
    for (int64_t column = 0; column < weights[1]; ++column) {
      const int64_t channel = transposed ? row : row / rowsPerGroup * weights[1] + column;
      std::fill_n(channels.begin() + (row * weights[1] + column) * inner, inner,
                  static_cast<size_t>(channel));
    }
  return channels;
}

bool pads(const Op& op) {
  const std::vector<int64_t> pads = op.attrs.getInts("pads");
  const std::string automatic = op.attrs.getString("auto_pad", "NOTSET");
  return (automatic != "NOTSET" && automatic != "VALID") ||
         std::any_of(pads.begin(), pads.end(), [](int64_t pad) { return pad != 0; });
}

} // namespace

bool mayScaleAndShift(const Graph& graph, OpId id) {
  const Op& op = graph.op(id);
  switch (op.kind) {
  case OpKind::Mul:
  case OpKind::Add:
  case OpKind::Sub:
  case OpKind::Div:
  case OpKind::BatchNorm:
    return hasKnownTypes(graph, id) && graph.tensor(op.output()).type == DType::Float32 &&
           !graph.tensor(op.output()).quant && op.act == Activation::None;
  default:
    return false;
  }
}

std::optional<ScaleAndShift> scaleAndShift(const Graph& graph, const Op& op, size_t slot,
                                           size_t channels) {
  const Shape& result = graph.tensor(op.output()).shape;
  if (op.kind == OpKind::BatchNorm) {
    const auto scale = floatConstant(graph, op.input(1));
    const auto shift = floatConstant(graph, op.input(2));
    if (slot != 0 || !scale || !shift || scale->size() != channels)
      return std::nullopt;
    return ScaleAndShift{{scale->begin(), scale->end()}, {shift->begin(), shift->end()}};
  }
  auto values = perChannel(graph, op.input(1 - slot), result, channels);
  if (!values)
    return std::nullopt;
  const std::vector<double> ones(channels, 1.0);
  const std::vector<double> zeros(channels, 0.0);
  switch (op.kind) {
  case OpKind::Mul:
    return ScaleAndShift{std::move(*values), zeros};
  case OpKind::Add:
    return ScaleAndShift{ones, std::move(*values)};
  case OpKind::Sub:
    if (slot == 1)
      return ScaleAndShift{std::vector<double>(channels, -1.0), std::move(*values)};
    for (double& value : *values)
      value = -value;
    return ScaleAndShift{ones, std::move(*values)};
  case OpKind::Div:
    for (double& value : *values) {
      if (slot == 1 || value == 0)
        return std::nullopt;
      value = 1 / value;
    }
    return ScaleAndShift{std::move(*values), zeros};
  default:
    return std::nullopt;
  }
}

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

bool scaleReader(Graph& graph, OpId id, TensorId from, const ScaleAndShift& form) {
  const TensorId between = graph.op(id).output();
  if (!graph.hasSingleUse(between) || graph.isGraphOutput(between))
    return false;
  const OpId reader = graph.users(between).front();
  const Op& op = graph.op(reader);
  if (op.input(0) != between || !acceptsFold(op) || !hasKnownTypes(graph, reader))
    return false;
  const bool shifts =
      std::any_of(form.shift.begin(), form.shift.end(), [](double v) { return v != 0; });
  const auto outputs = static_cast<size_t>(graph.tensor(op.output()).shape[1]);
  auto weights = floatConstant(graph, op.input(1));
  auto bias = biasOf(graph, op, outputs);
  if (!weights || !bias || (shifts && pads(op)))
    return false;
  const Shape shape = graph.tensor(op.input(1)).shape;
  const auto inputs = inputChannels(op, shape, outputs);
  if (!inputs || *std::max_element(inputs->begin(), inputs->end()) + 1 != form.scale.size())
    return false;
  const std::vector<size_t> rows = outputChannels(op, shape);
  std::vector<double> sums(bias->begin(), bias->end());
  for (size_t i = 0; i < weights->size(); ++i) {
    sums[rows[i]] += double{(*weights)[i]} * form.shift[(*inputs)[i]];
    (*weights)[i] = static_cast<float>(double{(*weights)[i]} * form.scale[(*inputs)[i]]);
  }
  std::vector<TensorId> operands = {
      from, addFloatConstant(graph, graph.tensor(op.input(1)).name, shape, *weights)};
  if (shifts) {
    const std::string name =
        op.input(2) ? graph.tensor(op.input(2)).name : strCat(op.name, ".bias");
    std::transform(sums.begin(), sums.end(), bias->begin(),
                   [](double sum) { return static_cast<float>(sum); });
    operands.push_back(addFloatConstant(graph, name, Shape{static_cast<int64_t>(outputs)}, *bias));
  } else if (op.input(2)) {
    operands.push_back(op.input(2));
  }
  graph.setInputs(reader, operands);
  addOrigin(graph.editOp(reader), graph.op(id));
  graph.eraseOp(id);
  return true;
}

} // namespace tigris
