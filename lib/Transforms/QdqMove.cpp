// qdq-move: moves DequantizeLinear and QuantizeLinear next to the arithmetic between them.
//
// Exporters leave reshapes, pools, concats and clamps between an operator and its quantization
// node. Those commute exactly with quantization (see QuantUtils.h):
//
//   Conv -> Relu -> Flatten -> Q     becomes     Conv -> Q -> Relu -> Flatten     (int8 after Q)
//   DQ -> Transpose -> Gemm          becomes     Transpose -> DQ -> Gemm
//
// qdq-fold then needs to inspect direct neighbors only. The pass terminates because DQ only moves
// down and Q only moves up. Where the two meet with different parameters, qdq-fold inserts a
// Requantize.
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/QuantUtils.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr const char* QdqMoveDoc =
    R"(Data movement and clamps commute exactly with quantization. DequantizeLinear moves down and
QuantizeLinear moves up, past data movement and clamps, until both are next to arithmetic.

    Conv -> Relu -> Flatten -> Q    ->   Conv -> Q -> Relu -> Flatten    (int8 after Q)
    DQ -> Transpose -> Gemm         ->   Transpose -> DQ -> Gemm)";

class QdqMove {
public:
  static PassStatus run(Graph& graph, PassContext&) {
    bool changed = false;
    bool again = true;
    while (again) {
      again = false;
      const std::vector<OpId> order = graph.order();
      for (const OpId id : order)
        again |= graph.contains(id) && sinkDequantize(graph, id);
      for (auto at = order.rbegin(); at != order.rend(); ++at)
        again |= graph.contains(*at) && hoistQuantize(graph, *at);
      changed |= again;
    }
    if (changed)
      graph.eraseUnusedTensors();
    return changedIf(changed);
  }

private:
  /// Parameters of a moved tensor; nullopt if the op mixes indices of a per-channel axis.
  static std::optional<QuantParam> movedParam(const Op& op, QuantParam param) {
    if (!param.perChannel())
      return param;
    if (op.kind != OpKind::Transpose)
      return std::nullopt;
    const std::vector<int64_t> perm = op.attrs.getInts("perm");
    const auto at = std::find(perm.begin(), perm.end(), param.axis);
    if (at == perm.end())
      return std::nullopt;
    param.axis = static_cast<int>(at - perm.begin());
    return param;
  }

  /// Whether an argument of the elements' type is an operand: the bounds of a Clip, the value of a
  /// Pad. Its type cannot follow that of the elements.
  static bool hasElementOperand(const Op& op) {
    const OpInfo& info = opInfo(op.kind);
    for (size_t i = 0; i < op.inputs.size() && i < info.operands.size(); ++i) {
      const AttrInfo* attr = info.attribute(info.operands[i].name);
      if (op.inputs[i] && info.operands[i].compileTime && attr && attr->kind == AttrKind::Float)
        return true;
    }
    return false;
  }

  /// DQ -> movement  ==>  movement -> DQ.
  static bool sinkDequantize(Graph& graph, OpId id) {
    const Op op = graph.op(id);
    if ((!isDataMovement(op) && op.kind != OpKind::TopK) || op.inputs.empty() ||
        hasElementOperand(op))
      return false;
    std::vector<TensorId> inputs = op.inputs;
    std::optional<Tensor> source;
    for (const size_t slot : dataOperands(op)) {
      const TensorId quantized = dequantizedSource(graph, op.inputs[slot]);
      if (!quantized)
        return false;
      const Tensor& tensor = graph.tensor(quantized);
      if (!tensor.quant ||
          (source && (source->type != tensor.type || source->quant != tensor.quant)))
        return false;
      source = tensor;
      inputs[slot] = quantized;
    }
    const std::optional<QuantParam> param = movedParam(op, *source->quant);
    if (!param)
      return false;

    graph.setInputs(id, inputs);
    std::vector<TensorId> outputs = op.outputs;
    const size_t values = op.kind == OpKind::TopK ? 1 : outputs.size(); // followed by indices
    for (size_t i = 0; i < values; ++i)
      if (outputs[i])
        outputs[i] = addQuantizedLike(graph, outputs[i], source->type, *param);
    graph.setOutputs(id, outputs);
    OpId position = id;
    for (size_t i = 0; i < values; ++i)
      if (outputs[i]) {
        Op dequantize;
        dequantize.kind = OpKind::DequantizeLinear;
        dequantize.name = graph.uniqueName(op.name + "_dequantize");
        dequantize.inputs = {outputs[i]};
        dequantize.outputs = {op.outputs[i]};
        position = graph.insertAfter(position, std::move(dequantize));
      }
    for (const size_t slot : dataOperands(op))
      eraseIfDead(graph, graph.producer(op.inputs[slot]));
    return true;
  }

  /// movement or clamp -> Q  ==>  Q -> movement or clamp.
  static bool hoistQuantize(Graph& graph, OpId id) {
    const Op op = graph.op(id);
    if ((!isDataMovement(op) && !isMonotone(op)) || op.outputs.size() != 1 || hasElementOperand(op))
      return false;
    const OpId quantizer = soleQuantizer(graph, op.output());
    if (!quantizer)
      return false;
    const TensorId result = graph.op(quantizer).output();
    const QuantParam param = *graph.tensor(result).quant;
    const DType type = graph.tensor(result).type;
    std::vector<TensorId> inputs = op.inputs;
    for (const size_t slot : dataOperands(op)) {
      const Tensor& real = graph.tensor(op.inputs[slot]);
      if (real.type != DType::Float32 || real.isConstant())
        return false;
    }
    for (const size_t slot : dataOperands(op)) {
      inputs[slot] = addQuantizedLike(graph, op.inputs[slot], type, param);
      Op quantize;
      quantize.kind = OpKind::QuantizeLinear;
      quantize.name = graph.uniqueName(graph.op(quantizer).name);
      quantize.inputs = {op.inputs[slot]};
      quantize.outputs = {inputs[slot]};
      quantize.origin = graph.op(quantizer).origin;
      graph.insertBefore(id, std::move(quantize));
    }
    graph.eraseOp(quantizer);
    graph.setInputs(id, inputs);
    graph.setOutputs(id, {result});
    return true;
  }
};

} // namespace

PassInfo qdqMovePass() {
  return functionPass("qdq-move", "quantization nodes move next to the arithmetic they belong to",
                      QdqMoveDoc, QdqMove::run);
}

} // namespace tigris
