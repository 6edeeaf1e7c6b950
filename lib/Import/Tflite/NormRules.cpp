// Reductions, searches, and normalizations along dimensions.
#include "tigris/Import/Tflite/FixedSums.h"
#include "tigris/Import/Tflite/OpTables.h"

#include <cmath>

namespace tigris {

using tflite::BuiltinOperator;

namespace {

/// Whether a quantized softmax has the scale and zero point that its kernel writes.
bool hasSoftmaxResult(DType from, const TensorFacts& result) {
  const bool isByte = result.type == DType::Int8;
  const bool fromByte = from == DType::Int8;
  const double scale = isByte ? 1.0 / 256 : fromByte ? 1.0 / 65536 : 1.0 / 32768;
  const int32_t zero = isByte ? -128 : fromByte ? -32768 : 0;
  const QuantParam& quant = *result.quant;
  return !quant.perChannel() && quant.zeroPoint[0] == zero &&
         std::abs(static_cast<double>(quant.scale[0]) - scale) <= (isByte ? 0 : 0.001 * scale);
}

/// Integers to integers by TensorFlow Lite's kernels, whose results have fixed scales.
Status softmaxRule(OpContext& op) {
  const auto* options = op.options<tflite::SoftmaxOptions>();
  const double beta = options == nullptr ? 1.0 : static_cast<double>(options->beta());
  if (!op.require(1))
    return op.status();
  const TensorId x = op.input(0);
  if (op.failed())
    return op.status();
  AttrMap attrs = {{"axis", int64_t{-1}}};
  if (op.isQuantized(x) && op.result().quant) {
    const DType from = op.tensor(x).type;
    const DType to = op.result().type;
    const bool known = from == DType::Int8 ? to == DType::Int8 || to == DType::Int16
                                           : from == DType::Int16 && to == DType::Int16;
    if (!known || beta < 0)
      return op.unsupported("it converts quantized ", dtypeName(from), " to ", dtypeName(to),
                            " with beta ", beta);
    if (!hasSoftmaxResult(from, op.result()))
      return op.unsupported("its result has scale ", op.result().quant->scale[0],
                            " and zero point ", op.result().quant->zeroPoint[0],
                            "; TensorFlow Lite's has 1/256 and -128 for int8, 1/65536 and -32768 "
                            "for int8 to int16, 1/32768 and 0 for int16");
    if (beta != 1.0)
      attrs.set("beta", beta);
    return op.finish(OpKind::Softmax, {x}, std::move(attrs));
  }
  op.refuseQuantized();
  if (beta == 1.0)
    return op.finishReal(OpKind::Softmax, {x}, std::move(attrs));
  const TensorId scaled =
      op.step("scaled", OpKind::Mul, {op.real(x), op.scalar("beta", static_cast<float>(beta))});
  return op.finishReal(OpKind::Softmax, {scaled}, std::move(attrs));
}

Status flatLogSoftmax(OpContext& op) {
  if (!op.require(1))
    return op.status();
  if (op.result().type == DType::Int16)
    op.refuseQuantized();
  return op.finishReal(OpKind::LogSoftmax, {op.input(0)}, {{"axis", int64_t{-1}}});
}

/// x / sqrt(max(sum of squares along the last dimension, epsilon)).
Status l2Normalization(OpContext& op) {
  constexpr float Epsilon = 1e-6F;
  if (!op.require(1))
    return op.status();
  const TensorId x = op.real(op.input(0));
  const std::vector<int64_t> axes = {-1};
  const TensorId sum =
      op.step("sum", OpKind::ReduceSumSquare, {x}, {{"axes", axes}, {"keepdims", int64_t{1}}});
  const TensorId bounded = op.step("bounded", OpKind::Max, {sum, op.scalar("epsilon", Epsilon)});
  const TensorId norm = op.step("norm", OpKind::Sqrt, {bounded});
  if (const auto* options = op.options<tflite::L2NormOptions>())
    op.setActivation(options->fused_activation_function());
  return op.finishReal(OpKind::Div, {x, norm});
}

Status flatReduce(OpContext& op, OpKind kind, bool integers) {
  if (!op.require(2))
    return op.status();
  const TensorId x = op.input(0);
  std::vector<int64_t> axes = op.integers(1, "the dimensions");
  if (op.failed())
    return op.status();
  if (axes.empty()) // nothing is reduced
    return op.finishWith(op.requantized(x));
  const AttrMap attrs = {{"axes", std::move(axes)}, {"keepdims", int64_t{1}}};
  const bool direct =
      integers && op.isQuantized(x) && op.result().quant && op.tensor(x).type == op.result().type;
  if (!direct)
    op.refuseQuantized();
  return direct || !op.isQuantized(x) ? op.finish(kind, {x}, attrs)
                                      : op.finishReal(kind, {x}, attrs);
}

Status flatMean(OpContext& op) { return flatReduce(op, OpKind::ReduceMean, true); }
Status flatSum(OpContext& op) { return flatReduce(op, OpKind::ReduceSum, true); }
Status reduceMax(OpContext& op) { return flatReduce(op, OpKind::ReduceMax, true); }
Status reduceMin(OpContext& op) { return flatReduce(op, OpKind::ReduceMin, true); }
Status reduceProd(OpContext& op) { return flatReduce(op, OpKind::ReduceProd, false); }

Status flatSearch(OpContext& op, OpKind kind) {
  if (!op.require(2))
    return op.status();
  const TensorId x = op.input(0);
  const std::vector<int64_t> axis = op.integers(1, "the dimension");
  if (op.failed())
    return op.status();
  if (axis.size() != 1)
    return op.unsupported("has ", axis.size(), " dimensions, expected one");
  const TensorId found = op.step("found", kind, {x}, {{"axis", axis[0]}, {"keepdims", int64_t{0}}});
  return op.finishWith(found);
}

Status argMax(OpContext& op) { return flatSearch(op, OpKind::ArgMax); }
Status argMin(OpContext& op) { return flatSearch(op, OpKind::ArgMin); }

Status cumSum(OpContext& op) {
  const auto* options = op.options<tflite::CumsumOptions>();
  if (!op.require(2))
    return op.status();
  const std::vector<int64_t> axis = op.integers(1, "the dimension");
  if (op.failed())
    return op.status();
  if (axis.size() != 1)
    return op.unsupported("has ", axis.size(), " dimensions, expected one");
  const TensorId x = op.input(0);
  const AttrMap attrs = {{"axis", axis[0]},
                         {"exclusive", int64_t{options != nullptr && options->exclusive() ? 1 : 0}},
                         {"reverse", int64_t{options != nullptr && options->reverse() ? 1 : 0}}};
  if (!sumsAreFixed(op, x))
    return op.finishReal(OpKind::CumSum, {x}, attrs);
  const TensorId fixed = asFixed(op, x);
  if (op.failed())
    return op.status();
  return finishFixed(op, op.step("sums", OpKind::CumSum, {fixed}, attrs, op.tensor(fixed).quant),
                     x);
}

constexpr OpRule NormOps[] = {
    {BuiltinOperator::SOFTMAX, 3, softmaxRule},
    {BuiltinOperator::LOG_SOFTMAX, 2, flatLogSoftmax},
    {BuiltinOperator::L2_NORMALIZATION, 2, l2Normalization},
    {BuiltinOperator::MEAN, 3, flatMean},
    {BuiltinOperator::SUM, 2, flatSum},
    {BuiltinOperator::REDUCE_MAX, 3, reduceMax},
    {BuiltinOperator::REDUCE_MIN, 3, reduceMin},
    {BuiltinOperator::REDUCE_PROD, 2, reduceProd},
    {BuiltinOperator::ARG_MAX, 3, argMax},
    {BuiltinOperator::ARG_MIN, 3, argMin},
    {BuiltinOperator::CUMSUM, 1, cumSum},
};

} // namespace

std::span<const OpRule> normOps() { return NormOps; }

} // namespace tigris
