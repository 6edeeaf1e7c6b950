// Uses the quantization rules of Ops.def, as the folding passes do (Transforms/QuantUtils.h).
#include "tigris/Quantize/OpClasses.h"

#include "tigris/Transforms/QuantUtils.h"

namespace tigris::quantize {

bool isFloatActivation(const Graph& graph, TensorId id) {
  return id && graph.tensor(id).type == DType::Float32 && !graph.tensor(id).isConstant();
}

bool isNeutral(const Op& op) { return isDataMovement(op) || isMonotone(op); }

Worth worthOf(const Graph& graph, const Op& op) {
  if (weightOperand(graph, op))
    return Worth::Always;
  const QuantRule rule = opInfo(op.kind).quant;
  return rule == QuantRule::Light || rule == QuantRule::Interpolates ? Worth::Light : Worth::Never;
}

bool isClampedLater(const Graph& graph, TensorId id) {
  while (id && graph.hasSingleUse(id)) {
    const Op& user = graph.op(graph.users(id).front());
    if (opInfo(user.kind).quant == QuantRule::Clamps)
      return user.input(0) == id;
    if (!isDataMovement(user) || user.outputs.size() != 1)
      return false;
    id = user.output();
  }
  return false;
}

std::vector<size_t> carriedOperands(const Op& op) {
  // Interpolation stays within the range of its operands, and its kernel requires one quantization.
  const QuantRule rule = opInfo(op.kind).quant;
  if (isDataMovement(op) || rule == QuantRule::Extreme || rule == QuantRule::Interpolates)
    return dataOperands(op);
  return {};
}

std::optional<WeightOperand> weightOperand(const Graph& graph, const Op& op) {
  const TensorId weights = op.input(1);
  if (!weights || !graph.tensor(weights).isConstant() ||
      graph.tensor(weights).type != DType::Float32)
    return std::nullopt;
  switch (opInfo(op.kind).opClass) {
  case OpClass::Convolution:
    return WeightOperand{1, 0};
  case OpClass::TransposedConvolution:
    return WeightOperand{1, op.attrs.getInt("group", 1) == 1 ? 1 : -1};
  case OpClass::Product: // of Gemm, B may be transposed; of MatMul, B may be a stack of matrices
    if (graph.tensor(weights).shape.rank() != 2)
      return std::nullopt;
    return WeightOperand{1, op.attrs.getInt("transB", 0) != 0 ? 0 : 1};
  default:
    return std::nullopt;
  }
}

int inputChannelAxis(const Graph& graph, const Op& op) {
  if (!weightOperand(graph, op))
    return -1;
  if (op.kind == OpKind::MatMul)
    return static_cast<int>(graph.tensor(op.input(0)).shape.rank()) - 1;
  if (op.kind == OpKind::Gemm)
    return op.attrs.getInt("transA", 0) != 0 ? -1 : 1;
  return 1;
}

std::optional<QuantParam> fixedResult(const Op& op) {
  switch (op.kind) {
  case OpKind::Softmax:
    return QuantParam{{1.0F / 256}, {-128}, -1};
  default:
    return std::nullopt;
  }
}

} // namespace tigris::quantize
