// The classes of operators below define which rewrites of the quantization passes are exact.
#include "tigris/Transforms/QuantUtils.h"

#include <algorithm>

namespace tigris {

bool isPerTensorInteger(const Graph& graph, TensorId id) {
  if (!id)
    return false;
  const Tensor& tensor = graph.tensor(id);
  return (tensor.type == DType::Int8 || tensor.type == DType::Int16) && tensor.quant &&
         !tensor.quant->perChannel();
}

TensorId dequantizedSource(const Graph& graph, TensorId id) {
  if (!id)
    return {};
  const OpId producer = graph.producer(id);
  if (!producer || graph.op(producer).kind != OpKind::DequantizeLinear)
    return {};
  return graph.op(producer).input(0);
}

OpId soleQuantizer(const Graph& graph, TensorId id) {
  if (!id || !graph.hasSingleUse(id))
    return {};
  const OpId user = graph.users(id).front();
  const Op& op = graph.op(user);
  const bool fits = op.kind == OpKind::QuantizeLinear && isPerTensorInteger(graph, op.output());
  return fits ? user : OpId();
}

bool isDataMovement(const Op& op) {
  switch (op.kind) {
  case OpKind::Reshape:
  case OpKind::Flatten:
  case OpKind::Squeeze:
  case OpKind::Unsqueeze:
  case OpKind::Transpose:
  case OpKind::Slice:
  case OpKind::Split:
  case OpKind::Gather:
  case OpKind::GatherND:
  case OpKind::GatherElements:
  case OpKind::Where:
  case OpKind::Expand:
  case OpKind::Tile:
  case OpKind::Concat:
  case OpKind::DepthToSpace:
  case OpKind::SpaceToDepth:
  case OpKind::GlobalMaxPool:
    return true;
  case OpKind::ScatterND:
  case OpKind::ScatterElements:
    return op.attrs.getString("reduction", "none") == "none";
  case OpKind::MaxPool:
    return op.outputs.size() == 1;
  case OpKind::Pad:
    // A real 0 is the zero point; another fill value may not be a multiple of the scale.
    return op.attrs.getFloat("value", 0.0) == 0.0;
  case OpKind::Resize:
    return op.attrs.getString("mode", "nearest") == "nearest";
  default:
    return false;
  }
}

bool isMonotone(const Op& op) {
  switch (op.kind) {
  case OpKind::Relu:
  case OpKind::Relu6:
  case OpKind::Clip:
  case OpKind::Max:
  case OpKind::Min:
  case OpKind::ReduceMax:
  case OpKind::ReduceMin:
    return true;
  default:
    return false;
  }
}

bool isUnaryFunction(OpKind kind) {
  switch (kind) {
  case OpKind::LeakyRelu:
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
  case OpKind::Erf:
  case OpKind::Exp:
  case OpKind::Log:
  case OpKind::Sqrt:
  case OpKind::Reciprocal:
  case OpKind::Neg:
  case OpKind::Abs:
  case OpKind::Sign:
  case OpKind::Floor:
  case OpKind::Ceil:
  case OpKind::Round:
  case OpKind::Sin:
  case OpKind::Cos:
  case OpKind::Tan:
  case OpKind::Asin:
  case OpKind::Acos:
  case OpKind::Atan:
  case OpKind::Sinh:
  case OpKind::Cosh:
  case OpKind::Asinh:
  case OpKind::Acosh:
  case OpKind::Atanh:
  case OpKind::ThresholdedRelu:
  case OpKind::Shrink:
    return true;
  default:
    return false;
  }
}

std::vector<size_t> dataOperands(const Op& op) {
  if (op.kind == OpKind::Where)
    return {1, 2};
  if (op.kind == OpKind::ScatterND || op.kind == OpKind::ScatterElements)
    return {0, 2};
  if (op.kind != OpKind::Concat && op.kind != OpKind::Max && op.kind != OpKind::Min)
    return {0};
  std::vector<size_t> slots;
  for (size_t i = 0; i < op.inputs.size(); ++i)
    slots.push_back(i);
  return slots;
}

TensorId addQuantizedLike(Graph& graph, TensorId real, DType type, const QuantParam& quant) {
  Tensor tensor;
  tensor.name = graph.uniqueName(graph.tensor(real).name + "_q");
  tensor.type = type;
  tensor.shape = graph.tensor(real).shape;
  tensor.quant = quant;
  return graph.addTensor(std::move(tensor));
}

void eraseIfDead(Graph& graph, OpId id) {
  std::vector<OpId> work = {id};
  while (!work.empty()) {
    const OpId candidate = work.back();
    work.pop_back();
    if (!candidate || !graph.contains(candidate))
      continue;
    const Op& op = graph.op(candidate);
    const bool used = std::any_of(op.outputs.begin(), op.outputs.end(), [&](TensorId output) {
      return output && (!graph.users(output).empty() || graph.isGraphOutput(output));
    });
    if (used)
      continue;
    for (const TensorId input : op.inputs)
      if (input)
        work.push_back(graph.producer(input));
    graph.eraseOp(candidate);
  }
}

void nameStoredInputs(Graph& graph) {
  for (const Port& port : graph.inputs())
    if (!graph.findTensor(port.name))
      graph.renameTensor(port.tensor, port.name);
}

} // namespace tigris
