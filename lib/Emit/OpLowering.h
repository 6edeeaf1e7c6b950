// Lowers operators to opcodes: a table, and functions by family that fill in parameters.
#pragma once

#include "tigris/Emit/LoweringContext.h"

namespace tigris {

/// The row of an operator.
struct LoweringRule {
  OpKind kind;
  /// Opcode if the first operand is float32, quantized int8, or has any other type; 0: there is no
  /// kernel.
  uint16_t floatOpcode;
  uint16_t int8Opcode;
  uint16_t otherOpcode;
  Status (*lower)(LoweringContext& context, const Op& op, tigris_opcode opcode);
  /// Number of results of the operator; the kernel writes all of them.
  size_t results = 1;
};

/// Null if no kernel executes the operator.
const LoweringRule* findLowering(OpKind kind);

/// Appends the records that execute `op`. DiagId::UnsupportedOp if the runtime has no kernel for
/// it.
Status lowerOp(LoweringContext& context, const Op& op);

// Signatures as in LoweringRule. LowerConv.cpp:
Status lowerConv(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerConvTranspose(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerGemm(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerMatMul(LoweringContext& context, const Op& op, tigris_opcode opcode);
// LowerPool.cpp:
Status lowerPool(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerGlobalMaxPool(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerGlobalAveragePool(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerReduce(LoweringContext& context, const Op& op, tigris_opcode opcode);
// LowerElementwise.cpp:
Status lowerBinary(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerUnary(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerClamp(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerPRelu(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerBatchNorm(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerQuantize(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerRequantize(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerSoftmax(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerLayerNorm(LoweringContext& context, const Op& op, tigris_opcode opcode);
// LowerMovement.cpp:
Status lowerConcat(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerSlice(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerPad(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerTranspose(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerReshape(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerResize(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerGather(LoweringContext& context, const Op& op, tigris_opcode opcode);
// LowerIndex.cpp:
Status lowerArgMax(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerCumSum(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerTopK(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerGatherNd(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerScatter(LoweringContext& context, const Op& op, tigris_opcode opcode);
// LowerLogic.cpp:
Status lowerCompare(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerNot(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerWhere(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerCast(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerMod(LoweringContext& context, const Op& op, tigris_opcode opcode);
Status lowerNeg(LoweringContext& context, const Op& op, tigris_opcode opcode);
// LowerRecurrent.cpp:
Status lowerRecurrent(LoweringContext& context, const Op& op, tigris_opcode opcode);

} // namespace tigris
