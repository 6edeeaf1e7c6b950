// The table of operators that the runtime executes.
#include "tigris/Emit/OpLowering.h"

#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <array>

namespace tigris {

namespace {

constexpr uint16_t None = 0;

constexpr auto Rules = std::to_array<LoweringRule>({
    // kind, float32, int8, other
    {OpKind::Conv, TIGRIS_OP_CONV, TIGRIS_OP_CONV, None, lowerConv},
    {OpKind::DepthwiseConv, TIGRIS_OP_CONV, TIGRIS_OP_CONV, None, lowerConv},
    {OpKind::Conv1D, TIGRIS_OP_CONV, TIGRIS_OP_CONV, None, lowerConv},
    {OpKind::ConvTranspose, TIGRIS_OP_CONV_TRANSPOSE, TIGRIS_OP_CONV_TRANSPOSE, None,
     lowerConvTranspose},
    {OpKind::Gemm, TIGRIS_OP_FULLY_CONNECTED, TIGRIS_OP_FULLY_CONNECTED, None, lowerGemm},
    {OpKind::MatMul, TIGRIS_OP_MATMUL, TIGRIS_OP_MATMUL, None, lowerMatMul},

    {OpKind::MaxPool, TIGRIS_OP_MAX_POOL, TIGRIS_OP_MAX_POOL, None, lowerPool},
    {OpKind::AveragePool, TIGRIS_OP_AVERAGE_POOL, TIGRIS_OP_AVERAGE_POOL, None, lowerPool},
    {OpKind::GlobalMaxPool, TIGRIS_OP_MAX_POOL, TIGRIS_OP_MAX_POOL, None, lowerGlobalMaxPool},
    {OpKind::GlobalAveragePool, TIGRIS_OP_GLOBAL_AVERAGE_POOL, TIGRIS_OP_GLOBAL_AVERAGE_POOL, None,
     lowerGlobalAveragePool},
    {OpKind::ReduceMean, TIGRIS_OP_REDUCE, TIGRIS_OP_REDUCE, None, lowerReduce},
    {OpKind::ReduceSum, TIGRIS_OP_REDUCE, None, None, lowerReduce},
    {OpKind::ReduceMax, TIGRIS_OP_REDUCE, TIGRIS_OP_REDUCE, None, lowerReduce},
    {OpKind::ReduceMin, TIGRIS_OP_REDUCE, TIGRIS_OP_REDUCE, None, lowerReduce},
    {OpKind::ReduceProd, TIGRIS_OP_REDUCE, None, None, lowerReduce},
    {OpKind::ReduceL1, TIGRIS_OP_REDUCE, None, None, lowerReduce},
    {OpKind::ReduceL2, TIGRIS_OP_REDUCE, None, None, lowerReduce},
    {OpKind::ReduceSumSquare, TIGRIS_OP_REDUCE, None, None, lowerReduce},
    {OpKind::ReduceLogSum, TIGRIS_OP_REDUCE, None, None, lowerReduce},
    {OpKind::ReduceLogSumExp, TIGRIS_OP_REDUCE, None, None, lowerReduce},
    {OpKind::ArgMax, TIGRIS_OP_ARG_MAX, TIGRIS_OP_ARG_MAX, TIGRIS_OP_ARG_MAX, lowerArgMax},
    {OpKind::ArgMin, TIGRIS_OP_ARG_MIN, TIGRIS_OP_ARG_MIN, TIGRIS_OP_ARG_MIN, lowerArgMax},
    {OpKind::CumSum, TIGRIS_OP_CUM_SUM, None, TIGRIS_OP_CUM_SUM, lowerCumSum},
    {OpKind::TopK, TIGRIS_OP_TOP_K, TIGRIS_OP_TOP_K, TIGRIS_OP_TOP_K, lowerTopK, 2},
    {OpKind::LSTM, TIGRIS_OP_LSTM, None, None, lowerRecurrent, 2},
    {OpKind::GRU, TIGRIS_OP_GRU, None, None, lowerRecurrent, 2},
    {OpKind::RNN, TIGRIS_OP_RNN, None, None, lowerRecurrent},

    {OpKind::Equal, TIGRIS_OP_EQUAL, None, TIGRIS_OP_EQUAL, lowerCompare},
    {OpKind::Less, TIGRIS_OP_LESS, None, TIGRIS_OP_LESS, lowerCompare},
    {OpKind::LessOrEqual, TIGRIS_OP_LESS_EQUAL, None, TIGRIS_OP_LESS_EQUAL, lowerCompare},
    {OpKind::Greater, TIGRIS_OP_LESS, None, TIGRIS_OP_LESS, lowerCompare},
    {OpKind::GreaterOrEqual, TIGRIS_OP_LESS_EQUAL, None, TIGRIS_OP_LESS_EQUAL, lowerCompare},
    {OpKind::And, None, None, TIGRIS_OP_AND, lowerCompare},
    {OpKind::Or, None, None, TIGRIS_OP_OR, lowerCompare},
    {OpKind::Xor, None, None, TIGRIS_OP_XOR, lowerCompare},
    {OpKind::Not, None, None, TIGRIS_OP_XOR, lowerNot},
    {OpKind::Where, None, None, TIGRIS_OP_WHERE, lowerWhere},
    {OpKind::Cast, TIGRIS_OP_CAST, TIGRIS_OP_CAST, TIGRIS_OP_CAST, lowerCast},

    {OpKind::Add, TIGRIS_OP_ADD, TIGRIS_OP_ADD, TIGRIS_OP_ADD, lowerBinary},
    {OpKind::Sub, TIGRIS_OP_SUB, TIGRIS_OP_SUB, TIGRIS_OP_SUB, lowerBinary},
    {OpKind::Mul, TIGRIS_OP_MUL, TIGRIS_OP_MUL, TIGRIS_OP_MUL, lowerBinary},
    {OpKind::Div, TIGRIS_OP_DIV, TIGRIS_OP_DIV, TIGRIS_OP_DIV, lowerBinary},
    {OpKind::Max, TIGRIS_OP_MAXIMUM, TIGRIS_OP_MAXIMUM, TIGRIS_OP_MAXIMUM, lowerBinary},
    {OpKind::Min, TIGRIS_OP_MINIMUM, TIGRIS_OP_MINIMUM, TIGRIS_OP_MINIMUM, lowerBinary},
    {OpKind::Pow, TIGRIS_OP_POW, None, None, lowerBinary},
    {OpKind::Mod, TIGRIS_OP_FMOD, None, TIGRIS_OP_MOD, lowerMod},
    {OpKind::PRelu, TIGRIS_OP_PRELU, None, None, lowerPRelu},
    {OpKind::BatchNorm, TIGRIS_OP_BATCH_NORM, None, None, lowerBatchNorm},

    {OpKind::Relu, TIGRIS_OP_CLAMP, TIGRIS_OP_CLAMP, None, lowerClamp},
    {OpKind::Relu6, TIGRIS_OP_CLAMP, TIGRIS_OP_CLAMP, None, lowerClamp},
    {OpKind::Clip, TIGRIS_OP_CLAMP, TIGRIS_OP_CLAMP, None, lowerClamp},
    {OpKind::LeakyRelu, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Elu, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Selu, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Celu, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Sigmoid, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::HardSigmoid, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::HardSwish, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Tanh, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Softplus, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Softsign, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Silu, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Mish, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Gelu, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Erf, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Exp, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Log, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Sqrt, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Reciprocal, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Neg, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, TIGRIS_OP_SUB, lowerNeg},
    {OpKind::Abs, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Sign, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Floor, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Ceil, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Round, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Sin, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Cos, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Tan, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Asin, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Acos, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Atan, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Sinh, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Cosh, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Asinh, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Acosh, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Atanh, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::ThresholdedRelu, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Shrink, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::QuantizeLinear, TIGRIS_OP_QUANTIZE, None, None, lowerQuantize},
    {OpKind::DequantizeLinear, None, TIGRIS_OP_DEQUANTIZE, None, lowerQuantize},
    {OpKind::Requantize, None, TIGRIS_OP_REQUANTIZE, None, lowerRequantize},

    {OpKind::Softmax, TIGRIS_OP_SOFTMAX, TIGRIS_OP_SOFTMAX, None, lowerSoftmax},
    {OpKind::LogSoftmax, TIGRIS_OP_LOG_SOFTMAX, None, None, lowerSoftmax},
    {OpKind::LayerNormalization, TIGRIS_OP_LAYER_NORM, None, None, lowerLayerNorm},

    {OpKind::Concat, TIGRIS_OP_CONCAT, TIGRIS_OP_CONCAT, TIGRIS_OP_CONCAT, lowerConcat},
    {OpKind::Slice, TIGRIS_OP_SLICE, TIGRIS_OP_SLICE, TIGRIS_OP_SLICE, lowerSlice},
    {OpKind::Pad, TIGRIS_OP_PAD, TIGRIS_OP_PAD, TIGRIS_OP_PAD, lowerPad},
    {OpKind::Transpose, TIGRIS_OP_TRANSPOSE, TIGRIS_OP_TRANSPOSE, TIGRIS_OP_TRANSPOSE,
     lowerTranspose},
    {OpKind::Reshape, TIGRIS_OP_RESHAPE, TIGRIS_OP_RESHAPE, TIGRIS_OP_RESHAPE, lowerReshape},
    {OpKind::Resize, TIGRIS_OP_RESIZE, TIGRIS_OP_RESIZE, None, lowerResize},
    {OpKind::Gather, TIGRIS_OP_GATHER, TIGRIS_OP_GATHER, TIGRIS_OP_GATHER, lowerGather},
    {OpKind::GatherND, TIGRIS_OP_GATHER_ND, TIGRIS_OP_GATHER_ND, TIGRIS_OP_GATHER_ND,
     lowerGatherNd},
    {OpKind::GatherElements, TIGRIS_OP_GATHER_ELEMENTS, TIGRIS_OP_GATHER_ELEMENTS,
     TIGRIS_OP_GATHER_ELEMENTS, lowerGather},
    {OpKind::ScatterND, TIGRIS_OP_SCATTER_ND, TIGRIS_OP_SCATTER_ND, TIGRIS_OP_SCATTER_ND,
     lowerScatter},
    {OpKind::ScatterElements, TIGRIS_OP_SCATTER_ELEMENTS, TIGRIS_OP_SCATTER_ELEMENTS,
     TIGRIS_OP_SCATTER_ELEMENTS, lowerScatter},
});

/// int16 uses the int8 opcodes where Ops.def allows it, but computes functions instead of looking
/// them up.
uint16_t int16Opcode(const LoweringRule& rule) {
  if (!opInfo(rule.kind).computesIn(DType::Int16))
    return None;
  return rule.int8Opcode == TIGRIS_OP_LOOKUP ? rule.floatOpcode : rule.int8Opcode;
}

} // namespace

const LoweringRule* findLowering(OpKind kind) {
  const auto* found = std::find_if(Rules.begin(), Rules.end(),
                                   [&](const LoweringRule& rule) { return rule.kind == kind; });
  return found == Rules.end() ? nullptr : found;
}

Status lowerOp(LoweringContext& context, const Op& op) {
  const LoweringRule* rule = findLowering(op.kind);
  if (rule == nullptr)
    return LoweringContext::unsupported(op, "the runtime has no kernel for this operator");
  if (op.outputs.size() != rule->results)
    return LoweringContext::unsupported(op, "has ", op.outputs.size(),
                                        " results, its kernel gives ", rule->results);
  const Tensor& first = context.graph().tensor(op.input(0));
  const uint16_t opcode = first.type == DType::Float32 ? rule->floatOpcode
                          : first.type == DType::Int8  ? rule->int8Opcode
                          : first.type == DType::Int16 ? int16Opcode(*rule)
                                                       : rule->otherOpcode;
  if (opcode == None)
    return LoweringContext::unsupported(op, "the runtime has no kernel for ", dtypeName(first.type),
                                        " operands");
  return rule->lower(context, op, static_cast<tigris_opcode>(opcode));
}

} // namespace tigris
