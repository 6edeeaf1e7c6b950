// quant-interface: stores model inputs that are only quantized, and outputs that are only
// dequantized, as int8.
//
//   input x: float32 -> Q -> ...          becomes   port x: float32 stored in an int8 tensor
//   ... -> DQ -> output y: float32        becomes   port y: float32 stored in an int8 tensor
//
// The firmware then passes integers: a quarter of the memory and traffic, and no float code. The
// port keeps the type that the model declares. A host tool converts real numbers with the same
// formula (Graph.h, Port), so results do not change.
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/QuantUtils.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr const char* QuantInterfaceDoc =
    R"(QuantizeLinear at a model input and DequantizeLinear at a model output become part of the
interface: the port keeps its float type, and its tensor is int8.

    input x: float32 -> Q -> Conv    ->   input x: float32 (stored int8) -> Conv)";

bool storeInput(Graph& graph, size_t index) {
  const Port& port = graph.inputs()[index];
  const TensorId real = port.tensor;
  if (graph.tensor(real).type != DType::Float32 || graph.isGraphOutput(real) ||
      graph.users(real).empty())
    return false;
  const std::vector<OpId> users = graph.users(real);
  const TensorId first = graph.op(users.front()).output();
  for (const OpId user : users) {
    const Op& op = graph.op(user);
    if (op.kind != OpKind::QuantizeLinear || !isPerTensorInteger(graph, op.output()) ||
        graph.tensor(op.output()).quant != graph.tensor(first).quant)
      return false;
  }
  for (const OpId user : users) {
    const TensorId result = graph.op(user).output();
    graph.eraseOp(user);
    graph.replaceAllUses(result, first);
  }
  graph.setInputTensor(index, first);
  return true;
}

bool storeOutput(Graph& graph, size_t index) {
  const TensorId real = graph.outputs()[index].tensor;
  const TensorId source = dequantizedSource(graph, real);
  if (!isPerTensorInteger(graph, source) || graph.tensor(source).isConstant() ||
      graph.isGraphInput(source))
    return false;
  const OpId producer = graph.producer(real);
  graph.setOutputTensor(index, source);
  eraseIfDead(graph, producer);
  return true;
}

PassStatus quantInterface(Graph& graph, PassContext&) {
  bool changed = false;
  for (size_t i = 0; i < graph.inputs().size(); ++i)
    changed |= storeInput(graph, i);
  for (size_t i = 0; i < graph.outputs().size(); ++i)
    changed |= storeOutput(graph, i);
  if (changed) {
    graph.eraseUnusedTensors();
    nameStoredInputs(graph);
  }
  return changedIf(changed);
}

} // namespace

PassInfo quantInterfacePass() {
  return functionPass("quant-interface", "model inputs and outputs are stored quantized",
                      QuantInterfaceDoc, quantInterface);
}

} // namespace tigris
