// The table of operators the runtime executes.
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
    {OpKind::MatMul, TIGRIS_OP_MATMUL, TIGRIS_OP_FULLY_CONNECTED, None, lowerMatMul},

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

    {OpKind::Add, TIGRIS_OP_ADD, TIGRIS_OP_ADD, None, lowerBinary},
    {OpKind::Sub, TIGRIS_OP_SUB, TIGRIS_OP_SUB, None, lowerBinary},
    {OpKind::Mul, TIGRIS_OP_MUL, TIGRIS_OP_MUL, None, lowerBinary},
    {OpKind::Div, TIGRIS_OP_DIV, TIGRIS_OP_DIV, None, lowerBinary},
    {OpKind::Max, TIGRIS_OP_MAXIMUM, TIGRIS_OP_MAXIMUM, None, lowerBinary},
    {OpKind::Min, TIGRIS_OP_MINIMUM, TIGRIS_OP_MINIMUM, None, lowerBinary},
    {OpKind::Pow, TIGRIS_OP_POW, None, None, lowerBinary},
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
    {OpKind::Mish, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Gelu, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Erf, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Exp, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Log, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Sqrt, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Reciprocal, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Neg, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Abs, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Sign, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Floor, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Ceil, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Round, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Sin, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
    {OpKind::Cos, TIGRIS_OP_UNARY, TIGRIS_OP_LOOKUP, None, lowerUnary},
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
});

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
  for (size_t i = 1; i < op.outputs.size(); ++i)
    if (op.outputs[i])
      return LoweringContext::unsupported(op, "has ", op.outputs.size(),
                                          " results, kernels give one");
  const Tensor& first = context.graph().tensor(op.input(0));
  const uint16_t opcode = first.type == DType::Float32 ? rule->floatOpcode
                          : first.type == DType::Int8  ? rule->int8Opcode
                                                       : rule->otherOpcode;
  if (opcode == None)
    return LoweringContext::unsupported(op, "the runtime has no kernel for ", dtypeName(first.type),
                                        " operands");
  return rule->lower(context, op, static_cast<tigris_opcode>(opcode));
}

} // namespace tigris
