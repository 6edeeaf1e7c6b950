// The columns of Ops.def that say how an operator is lowered.
#include "tigris/Emit/OpLowering.h"

#include "tigris/Support/StringUtils.h"

namespace tigris {

namespace {

using LowerFunction = Status (*)(LoweringContext& context, const Op& op, tigris_opcode opcode);

struct LoweringRule {
  LowerFunction lower;
  /// Opcodes when the first operand is float32, int8, or of another type.
  int floatOpcode;
  int int8Opcode;
  int otherOpcode;
};

/// An opcode that the row leaves out is the first one.
constexpr int Same = -1;

constexpr LoweringRule makeRule(LowerFunction lower, int first = 0, int int8 = Same,
                                int other = Same) {
  return {lower, first, int8 == Same ? first : int8, other == Same ? first : other};
}

const LoweringRule& ruleOf(OpKind kind) {
#define TIGRIS_ARGUMENTS(...) __VA_ARGS__
  static constexpr LoweringRule Rules[] = {
#define TIGRIS_OP(kind, category, types, operands, results, attributes, opClass, shape, value,     \
                  order, box, quant, lower)                                                        \
  makeRule(TIGRIS_ARGUMENTS lower),
#include "tigris/IR/Ops.def"
      makeRule(noKernel),
  };
#undef TIGRIS_ARGUMENTS
  return Rules[static_cast<size_t>(kind)];
}

} // namespace

bool hasLowering(OpKind kind) { return ruleOf(kind).lower != noKernel; }

uint16_t loweredOpcode(OpKind kind, DType type) {
  if (!opInfo(kind).computesIn(type))
    return 0;
  const LoweringRule& rule = ruleOf(kind);
  const auto opcode = [&] {
    switch (type) {
    case DType::Float32:
      return rule.floatOpcode;
    case DType::Int8:
      return rule.int8Opcode;
    case DType::Int16: // functions are computed, not looked up
      return rule.int8Opcode == TIGRIS_OP_LOOKUP ? rule.floatOpcode : rule.int8Opcode;
    default:
      return rule.otherOpcode;
    }
  };
  return static_cast<uint16_t>(opcode());
}

Status noKernel(LoweringContext&, const Op& op, tigris_opcode) {
  return LoweringContext::unsupported(op, "the runtime has no kernel for this operator");
}

Status lowerOp(LoweringContext& context, const Op& op) {
  const Tensor& first = context.graph().tensor(op.input(0));
  const auto opcode = static_cast<tigris_opcode>(loweredOpcode(op.kind, first.type));
  if (hasLowering(op.kind)) {
    if (const size_t results = opInfo(op.kind).minResults(); op.outputs.size() != results)
      return LoweringContext::unsupported(op, "has ", op.outputs.size(),
                                          " results, its kernel produces ", results);
    if (opcode == 0)
      return LoweringContext::unsupported(op, "the runtime has no kernel for ",
                                          dtypeName(first.type), " operands");
  }
  return ruleOf(op.kind).lower(context, op, opcode);
}

} // namespace tigris
