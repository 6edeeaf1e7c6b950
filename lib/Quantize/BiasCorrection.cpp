// Corrects only the error of the weights: its mean is known exactly, that of activations is not.
#include "tigris/Quantize/BiasCorrection.h"

#include "tigris/Quantize/WeightQuant.h"

namespace tigris::quantize {

namespace {

/// The mean shift of each output; empty for operators that are not handled.
std::vector<double> shifts(const Graph& graph, const Op& op, const Tensor& integers,
                           const std::vector<double>& means) {
  const Tensor& weights = graph.tensor(op.input(1));
  const std::vector<float> error = quantizationError(integers, weights);
  const Shape& shape = weights.shape;
  if (op.kind == OpKind::Gemm) {
    const bool rows = op.attrs.getInt("transB", 0) != 0;
    const auto outputs = static_cast<size_t>(shape[rows ? 0 : 1]);
    const auto depth = static_cast<size_t>(shape[rows ? 1 : 0]);
    if (means.size() != depth)
      return {};
    std::vector<double> result(outputs, 0);
    for (size_t o = 0; o < outputs; ++o)
      for (size_t k = 0; k < depth; ++k)
        result[o] += static_cast<double>(error[rows ? o * depth + k : k * outputs + o]) * means[k];
    return result;
  }
  if (op.kind != OpKind::Conv && op.kind != OpKind::DepthwiseConv && op.kind != OpKind::Conv1D)
    return {};
  const auto outputs = static_cast<size_t>(shape[0]);
  const auto depth = static_cast<size_t>(shape[1]);
  const size_t groups = means.size() / depth;
  if (groups * depth != means.size() || groups == 0 || outputs % groups != 0)
    return {};
  const size_t taps = error.size() / outputs / depth;
  std::vector<double> result(outputs, 0);
  for (size_t o = 0; o < outputs; ++o)
    for (size_t i = 0; i < depth; ++i)
      for (size_t t = 0; t < taps; ++t)
        result[o] += static_cast<double>(error[(o * depth + i) * taps + t]) *
                     means[o / (outputs / groups) * depth + i];
  return result;
}

} // namespace

void correctBias(Graph& graph, const Op& op, const Tensor& integers,
                 const std::vector<double>& means) {
  if (means.empty())
    return;
  const std::vector<double> shift = shifts(graph, op, integers, means);
  if (shift.empty())
    return;
  std::vector<float> bias(shift.size(), 0);
  std::string name = graph.tensor(op.input(1)).name + "_bias";
  if (const TensorId old = op.input(2)) {
    const Tensor& tensor = graph.tensor(old);
    if (!tensor.isConstant() || tensor.type != DType::Float32 ||
        (tensor.elements() != 1 && tensor.shape.fromBack(0) != tensor.elements()))
      return;
    const std::vector<float> values = tensor.data->values<float>();
    if (values.size() != 1 && values.size() != bias.size())
      return;
    for (size_t i = 0; i < bias.size(); ++i)
      bias[i] = values[values.size() == 1 ? 0 : i];
    name = tensor.name;
  }
  for (size_t i = 0; i < bias.size(); ++i)
    bias[i] = static_cast<float>(static_cast<double>(bias[i]) - shift[i]);
  const TensorId corrected =
      graph.addConstant(graph.uniqueName(name + "_corrected"), DType::Float32,
                        Shape{static_cast<int64_t>(bias.size())}, makeBlobOf(bias));
  const OpId id = *graph.findOp(op.name);
  std::vector<TensorId> inputs = graph.op(id).inputs;
  inputs.resize(3);
  inputs[2] = corrected;
  graph.setInputs(id, std::move(inputs));
}

} // namespace tigris::quantize
