// Reductions, searches, and normalizations along dimensions.
#include "tigris/Import/Tflite/OpTables.h"

namespace tigris {

using tflite::BuiltinOperator;

namespace {

Status flatSoftmax(OpContext& op, OpKind kind) {
  if (!op.require(1))
    return op.status();
  TensorId x = op.input(0);
  if (op.failed())
    return op.status();
  const auto* options = op.options<tflite::SoftmaxOptions>();
  const float beta = kind == OpKind::LogSoftmax || options == nullptr ? 1.0F : options->beta();
  const AttrMap attrs = {{"axis", int64_t{-1}}};
  const auto& quant = op.result().quant;
  const bool plain = quant && op.isQuantized(x) && op.result().type == op.tensor(x).type &&
                     opInfo(kind).computesIn(op.result().type) && beta == 1.0F &&
                     quant->scale[0] == 1.0F / 256 && quant->zeroPoint[0] == -128;
  if (plain)
    return op.finish(kind, {x}, attrs);
  if (op.result().type == DType::Int16)
    op.refuseQuantized();
  if (beta != 1.0F)
    x = op.step("scaled", OpKind::Mul, {op.real(x), op.scalar("beta", beta)});
  return op.finishReal(kind, {x}, attrs);
}

Status softmaxRule(OpContext& op) { return flatSoftmax(op, OpKind::Softmax); }
Status flatLogSoftmax(OpContext& op) { return flatSoftmax(op, OpKind::LogSoftmax); }

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
Status flatSum(OpContext& op) { return flatReduce(op, OpKind::ReduceSum, false); }
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
  return op.finishReal(OpKind::CumSum, {op.input(0)},
                       {{"axis", axis[0]},
                        {"exclusive", int64_t{options != nullptr && options->exclusive() ? 1 : 0}},
                        {"reverse", int64_t{options != nullptr && options->reverse() ? 1 : 0}}});
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
