// wide-quant-to-float: what is quantized to 16 bits is computed in float instead, within the same bounds.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr const char* Doc =
    R"(There are no kernels on 16-bit integers. A pair of Q and DQ to int16 or uint16 rounds to
one of 65,536 values, finer than anything after it can tell, and saturates. The rounding is left out, the saturation stays:

    q = QuantizeLinear(x)      # q: int16 {scale: 0.5, zero_point: 0}
    y = DequantizeLinear(q)                      ->   y = Clip(x) {min: -16384, max: 16383.5}

The operators around it run in float, with more accuracy than the model asks for, and more memory; a warning
says so. Weights of 8 bits become float with them. 16-bit tensors that are used in any other way are refused.)";

bool isWide(const Tensor& tensor) {
  return tensor.type == DType::Int16 || tensor.type == DType::UInt16;
}

Error refusal(const Graph& graph, const Op& op, const Tensor& tensor, const std::string& why) {
  return makeError(DiagId::UnsupportedType, "op '", op.name, "' (", op.kindName(), "): tensor '",
                   tensor.name, "' is ", dtypeName(tensor.type), " and ", why,
                   graph.isGraphInput(op.input(0)) || op.kind == OpKind::QuantizeLinear
                       ? "; quantize activations to int8 or uint8"
                       : "");
}

/// All readers turn the tensor into real numbers again.
Status checkReaders(const Graph& graph, const Op& op) {
  const TensorId id = op.output();
  const Tensor& tensor = graph.tensor(id);
  if (!tensor.quant || tensor.quant->perChannel())
    return refusal(graph, op, tensor, "has not exactly one scale");
  if (graph.isGraphOutput(id))
    return refusal(graph, op, tensor, "leaves the model as an integer");
  for (const OpId user : graph.users(id))
    if (graph.op(user).kind != OpKind::DequantizeLinear)
      return refusal(graph, op, tensor, strCat("op '", graph.op(user).name, "' computes with it"));
  return {};
}

void replacePair(Graph& graph, OpId id) {
  const Op op = graph.op(id);
  const Tensor& tensor = graph.tensor(op.output());
  const double scale = tensor.quant->scale[0];
  const auto real = [&](int64_t integer) {
    return static_cast<double>(integer - tensor.quant->zeroPoint[0]) * scale;
  };
  const TensorId clamped = insertResult(
      graph, id,
      makeOpLike(graph, id, OpKind::Clip, {op.input(0)},
                 {{"min", real(dtypeMin(tensor.type))}, {"max", real(dtypeMax(tensor.type))}}));
  const std::vector<OpId> readers = graph.users(op.output());
  for (const OpId reader : readers)
    if (graph.contains(reader))
      replaceByValue(graph, reader, clamped);
  graph.eraseOp(id);
}

PassStatus run(Graph& graph, PassContext& context) {
  size_t replaced = 0;
  const std::vector<OpId> order = graph.order();
  for (const OpId id : order) {
    if (!graph.contains(id))
      continue;
    const Op& op = graph.op(id);
    if (op.kind == OpKind::QuantizeLinear && isWide(graph.tensor(op.output()))) {
      if (Status status = checkReaders(graph, op); !status)
        return context.fail(status.error());
      replacePair(graph, id);
      ++replaced;
    } else if (op.kind == OpKind::DequantizeLinear) {
      const Tensor& tensor = graph.tensor(op.input(0));
      if (isWide(tensor) && !tensor.isConstant())
        return context.fail(refusal(graph, op, tensor, "is no result of a QuantizeLinear"));
    }
  }
  if (replaced == 0)
    return PassStatus::Unchanged;
  graph.eraseUnusedTensors();
  context.diagnostics.warn(DiagId::UnsupportedType, replaced,
                           " tensors are quantized to 16 bits; they and the operators around them "
                           "are computed in float32, for want of kernels on 16-bit integers");
  return PassStatus::Changed;
}

} // namespace

PassInfo wideQuantToFloatPass() {
  return functionPass("wide-quant-to-float", "16-bit quantization becomes float with its bounds",
                      Doc, run);
}

} // namespace tigris
