// The quantization rules of Ops.def define which rewrites of the quantization passes are exact.
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

namespace {

/// Whether the operator moves elements in this use. It does so in some uses only.
bool movesHere(const Op& op) {
  switch (op.kind) {
  case OpKind::MaxPool:
    return op.outputs.size() == 1;
  case OpKind::Pad:
    // A real 0 is the zero point; another fill value may not be a multiple of the scale.
    return op.attrs.getFloat("value", 0.0) == 0.0;
  default:
    return op.attrs.getString("reduction", "none") == "none";
  }
}

} // namespace

bool isDataMovement(const Op& op) {
  switch (opInfo(op.kind).quant) {
  case QuantRule::Moves:
    return true;
  case QuantRule::Selects:
    return movesHere(op);
  case QuantRule::Interpolates:
    return op.attrs.getString("mode", "nearest") == "nearest";
  default:
    return false;
  }
}

bool isMonotone(const Op& op) {
  const QuantRule rule = opInfo(op.kind).quant;
  return rule == QuantRule::Clamps || rule == QuantRule::Extreme;
}

bool isUnaryFunction(OpKind kind) { return opInfo(kind).opClass == OpClass::Function; }

namespace {

/// Slots of the operands whose description fits.
template <typename Fn> std::vector<size_t> operandSlots(const Op& op, Fn&& fits) {
  const std::vector<OperandInfo>& operands = opInfo(op.kind).operands;
  std::vector<size_t> slots;
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (fits(operands[std::min(i, operands.size() - 1)]))
      slots.push_back(i);
  return slots;
}

} // namespace

std::vector<size_t> runtimeOperands(const Op& op) {
  return operandSlots(op, [](const OperandInfo& operand) { return !operand.compileTime; });
}

std::vector<size_t> dataOperands(const Op& op) {
  return operandSlots(
      op, [](const OperandInfo& operand) { return !operand.compileTime && !operand.chooses; });
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
