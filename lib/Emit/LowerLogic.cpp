// Comparisons, logic, selections and conversions between types.
#include "tigris/Emit/OpLowering.h"

#include <algorithm>
#include <array>

namespace tigris {

Status lowerCompare(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  Expected<std::vector<tigris_operand>> inputs = context.operands(op);
  if (!inputs)
    return inputs.takeError();
  // a > b is b < a
  if (op.kind == OpKind::Greater || op.kind == OpKind::GreaterOrEqual)
    std::reverse(inputs->begin(), inputs->end());
  return context.emit(op, opcode, *inputs);
}

Status lowerNot(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  const Expected<tigris_operand> x = context.operand(op.input(0));
  if (!x)
    return x.error();
  const uint8_t truth = 1;
  const std::array<tigris_operand, 2> inputs = {
      *x, context.constant(op.name + "_true", TIGRIS_BOOL, {}, std::span(&truth, 1))};
  return context.emit(op, opcode, inputs);
}

Status lowerWhere(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  if (Status status = context.requireSameQuant(op, {op.input(1), op.input(2), op.output()});
      !status)
    return status;
  const auto inputs = context.operands(op);
  if (!inputs)
    return inputs.error();
  return context.emit(op, opcode, *inputs);
}

Status lowerCast(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  for (const TensorId id : {op.input(0), op.output()})
    if (const auto& quant = context.graph().tensor(id).quant;
        quant && (quant->perChannel() || quant->scale[0] != 1.0F))
      return LoweringContext::unsupported(op, "tensor '", context.graph().tensor(id).name,
                                          "' is quantized with a scale other than 1");
  const auto inputs = context.operands(op);
  if (!inputs)
    return inputs.error();
  return context.emit(op, opcode, *inputs);
}

Status lowerMod(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  const bool truncated = op.attrs.getInt("fmod") != 0;
  return lowerBinary(context, op, truncated ? TIGRIS_OP_FMOD : opcode);
}

/// 0 - x for types without a unary function.
Status lowerNeg(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  if (opcode != TIGRIS_OP_SUB)
    return lowerUnary(context, op, opcode);
  const Tensor& x = context.graph().tensor(op.input(0));
  const std::vector<uint8_t> zero(dtypeSize(x.type), 0);
  const Expected<tigris_operand> operand = context.operand(op.input(0));
  if (!operand)
    return operand.error();
  const std::array<tigris_operand, 2> inputs = {
      context.constant(op.name + "_zero", static_cast<tigris_dtype>(fileDType(x.type)), {}, zero),
      *operand};
  return context.emit(op, opcode, inputs, tigris_binary_params{});
}

} // namespace tigris
