// Operators to opcodes: the lowerings that Ops.def names.
#pragma once

#include "tigris/Emit/LoweringContext.h"

namespace tigris {

/// False for operators that passes replace before a plan is emitted.
bool hasLowering(OpKind kind);

/// The opcode when the first operand is of this type; 0: there is no kernel.
uint16_t loweredOpcode(OpKind kind, DType type);

/// Appends the records that execute `op`. DiagId::UnsupportedOp if the runtime has no kernel for
/// it.
Status lowerOp(LoweringContext& context, const Op& op);

/// LeakyRelu of int16 in graphs that round as TensorFlow Lite Micro.
Status emitLeakyRelu(LoweringContext& context, const Op& op);

// The lowerings of the rows of Ops.def, in Lower*.cpp. Each fills in the parameters of `opcode`,
// which is that of the row for the type of the first operand, and appends what executes `op`.
#define TIGRIS_FIRST(first, ...) first
#define TIGRIS_OP(kind, category, types, operands, results, attributes, opClass, shape, value,     \
                  order, box, quant, lower)                                                        \
  Status TIGRIS_FIRST lower(LoweringContext& context, const Op& op, tigris_opcode opcode);
#include "tigris/IR/Ops.def"
#undef TIGRIS_FIRST

} // namespace tigris
