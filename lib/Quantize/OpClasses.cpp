// Uses the classes of the folding passes (Transforms/QuantUtils.h).
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
  switch (op.kind) {
  case OpKind::MatMul:
  case OpKind::Add:
  case OpKind::Sub:
  case OpKind::Mul:
  case OpKind::AveragePool:
  case OpKind::GlobalAveragePool:
  case OpKind::ReduceMean:
  case OpKind::Resize:
  case OpKind::Softmax:
  case OpKind::LeakyRelu:
  case OpKind::PRelu:
  case OpKind::Elu:
  case OpKind::Selu:
  case OpKind::Celu:
  case OpKind::Sigmoid:
  case OpKind::HardSigmoid:
  case OpKind::HardSwish:
  case OpKind::Silu:
  case OpKind::Tanh:
  case OpKind::Softplus:
  case OpKind::Softsign:
  case OpKind::Mish:
  case OpKind::Gelu:
  case OpKind::Neg:
  case OpKind::Abs:
    return Worth::Light;
  default:
    return Worth::Never;
  }
}

bool isClampedLater(const Graph& graph, TensorId id) {
  while (id && graph.hasSingleUse(id)) {
    const Op& user = graph.op(graph.users(id).front());
    if (user.kind == OpKind::Relu || user.kind == OpKind::Relu6 || user.kind == OpKind::Clip)
      return user.input(0) == id;
    if (!isDataMovement(user) || user.outputs.size() != 1)
      return false;
    id = user.output();
  }
  return false;
}

std::vector<size_t> carriedOperands(const Op& op) {
  if (isDataMovement(op) || op.kind == OpKind::Max || op.kind == OpKind::Min)
    return dataOperands(op);
  // Interpolation stays within the range of its operands, and its kernel requires one quantization.
  if (op.kind == OpKind::Resize || op.kind == OpKind::ReduceMax || op.kind == OpKind::ReduceMin)
    return {0};
  return {};
}

std::optional<WeightOperand> weightOperand(const Graph& graph, const Op& op) {
  const TensorId weights = op.input(1);
  if (!weights || !graph.tensor(weights).isConstant() ||
      graph.tensor(weights).type != DType::Float32)
    return std::nullopt;
  switch (op.kind) {
  case OpKind::Conv:
  case OpKind::DepthwiseConv:
  case OpKind::Conv1D:
    return WeightOperand{1, 0};
  case OpKind::ConvTranspose:
    return WeightOperand{1, op.attrs.getInt("group", 1) == 1 ? 1 : -1};
  case OpKind::Gemm:
    return WeightOperand{1, op.attrs.getInt("transB", 0) != 0 ? 0 : 1};
  case OpKind::MatMul:
    if (graph.tensor(weights).shape.rank() != 2)
      return std::nullopt;
    return WeightOperand{1, 1};
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
