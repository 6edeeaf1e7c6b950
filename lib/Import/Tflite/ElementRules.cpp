// Operators that work element by element: arithmetic, functions, comparisons and selections.
//
// Quantized operands are used as they are where the operator has an integer form; elsewhere they
// are dequantized.
#include "tigris/Import/Tflite/OpTables.h"

#include <algorithm>

namespace tigris {

using tflite::ActivationFunctionType;
using tflite::BuiltinOperator;

namespace {

/// Whether the kind has an integer form for these operands and this result: one type for all, with
/// one scale each.
bool isInteger(OpContext& op, OpKind kind, const std::vector<TensorId>& inputs) {
  const TensorFacts& result = op.result();
  if (!result.quant || result.quant->perChannel() || !opInfo(kind).computesIn(result.type))
    return false;
  const auto matches = [&](TensorId id) {
    const Tensor& tensor = op.tensor(id);
    return tensor.quant && !tensor.quant->perChannel() && tensor.type == result.type;
  };
  return std::all_of(inputs.begin(), inputs.end(), matches);
}

Status finishEither(OpContext& op, OpKind kind, std::vector<TensorId> inputs, AttrMap attrs = {}) {
  if (op.failed())
    return op.status();
  return isInteger(op, kind, inputs) ? op.finish(kind, std::move(inputs), std::move(attrs))
                                     : op.finishReal(kind, std::move(inputs), std::move(attrs));
}

Status flatBinary(OpContext& op, OpKind kind, ActivationFunctionType activation) {
  if (!op.require(2))
    return op.status();
  const TensorId a = op.input(0);
  const TensorId b = op.input(1);
  op.setActivation(activation);
  return finishEither(op, kind, {a, b});
}

template <typename Options> ActivationFunctionType activationOf(OpContext& op) {
  const auto* options = op.options<Options>();
  return options == nullptr ? ActivationFunctionType::NONE : options->fused_activation_function();
}

Status flatAdd(OpContext& op) {
  return flatBinary(op, OpKind::Add, activationOf<tflite::AddOptions>(op));
}
Status flatSub(OpContext& op) {
  return flatBinary(op, OpKind::Sub, activationOf<tflite::SubOptions>(op));
}
Status flatMul(OpContext& op) {
  return flatBinary(op, OpKind::Mul, activationOf<tflite::MulOptions>(op));
}
Status flatDiv(OpContext& op) {
  return flatBinary(op, OpKind::Div, activationOf<tflite::DivOptions>(op));
}
template <OpKind Kind> Status plainBinary(OpContext& op) {
  return flatBinary(op, Kind, ActivationFunctionType::NONE);
}

/// Maxima and minima of integers, which must have the quantization of the result.
template <OpKind Kind> Status extreme(OpContext& op) {
  if (!op.require(2))
    return op.status();
  const TensorId a = op.input(0);
  const TensorId b = op.input(1);
  if (op.failed())
    return op.status();
  const auto& quant = op.result().quant;
  if (op.tensor(a).quant == quant && op.tensor(b).quant == quant)
    return op.finish(Kind, {a, b});
  return op.finishReal(Kind, {a, b});
}

Status addN(OpContext& op) {
  if (!op.require(1))
    return op.status();
  TensorId sum = op.input(0);
  for (size_t i = 1; i + 1 < op.inputCount(); ++i)
    sum = op.step("sum", OpKind::Add, {op.real(sum), op.real(op.input(i))});
  if (op.inputCount() == 1)
    return op.finishAs(sum);
  return op.finishReal(OpKind::Add, {sum, op.input(op.inputCount() - 1)});
}

Status squaredDifference(OpContext& op) {
  if (!op.require(2) || op.refuseQuantized())
    return op.status();
  const TensorId difference =
      op.step("difference", OpKind::Sub, {op.real(op.input(0)), op.real(op.input(1))});
  return op.finishReal(OpKind::Mul, {difference, difference});
}

Status flatSquare(OpContext& op) {
  if (!op.require(1))
    return op.status();
  const TensorId x = op.input(0);
  return op.finishReal(OpKind::Mul, {x, x});
}

template <OpKind Kind> Status flatUnary(OpContext& op) {
  if (!op.require(1))
    return op.status();
  // TensorFlow Lite Micro's RELU6 does not change the scale
  if (Kind == OpKind::Relu6 && op.tensor(op.input(0)).quant != op.result().quant)
    op.refuseQuantized();
  // kernels compute functions of int16 in float
  if (op.result().type == DType::Int16 && opInfo(Kind).opClass == OpClass::Function)
    op.refuseQuantized();
  return finishEither(op, Kind, {op.input(0)});
}

Status flatClip(OpContext& op, double lo, double hi) {
  return op.require(1) ? finishEither(op, OpKind::Clip, {op.input(0)}, {{"min", lo}, {"max", hi}})
                       : op.status();
}
Status reluN1To1(OpContext& op) { return flatClip(op, -1, 1); }
Status relu0To1(OpContext& op) { return flatClip(op, 0, 1); }

/// x * factor with the quantization of the result.
TensorId timesOne(OpContext& op, TensorId x, std::string_view suffix, float factor) {
  const DType type = op.result().type;
  const TensorId one =
      op.constant(suffix, {type, Shape(),
                           type == DType::Int8 ? makeBlobOf(std::vector<int8_t>{1})
                                               : makeBlobOf(std::vector<int16_t>{1})});
  if (op.failed())
    return {};
  op.builder().graph().editTensor(one).quant = QuantParam{{factor}, {0}, -1};
  return op.step(suffix, OpKind::Mul, {x, one}, {}, op.result().quant);
}

/// Both branches with TensorFlow Lite's multipliers; the larger one is that of the sign.
Status wideLeakyRelu(OpContext& op, TensorId x, float alpha) {
  return op.finish(OpKind::Max, {timesOne(op, x, "same", 1), timesOne(op, x, "less", alpha)});
}

Status flatLeakyRelu(OpContext& op) {
  const auto* options = op.options<tflite::LeakyReluOptions>();
  if (!op.require(1))
    return op.status();
  const double alpha = options == nullptr ? 0.0 : static_cast<double>(options->alpha());
  const TensorId x = op.input(0);
  if (!op.failed() && op.result().type == DType::Int16 && op.isQuantized(x) && alpha > 0 &&
      alpha <= 1)
    return wideLeakyRelu(op, x, static_cast<float>(alpha));
  return finishEither(op, OpKind::LeakyRelu, {op.input(0)}, {{"alpha", alpha}});
}

Status flatGelu(OpContext& op) {
  const auto* options = op.options<tflite::GeluOptions>();
  if (!op.require(1))
    return op.status();
  const bool tanh = options != nullptr && options->approximate();
  return finishEither(op, OpKind::Gelu, {op.input(0)},
                      {{"approximate", std::string(tanh ? "tanh" : "none")}});
}

/// Whether the real values are known and all in [0, 1].
bool isFraction(OpContext& op, TensorId id) {
  const BlobRef known = op.builder().values().find(op.real(id));
  if (op.failed() || known == nullptr)
    return false;
  const std::vector<float> values = known->values<float>();
  return std::all_of(values.begin(), values.end(), [](float v) { return v >= 0 && v <= 1; });
}

/// Integers are the larger of x and x * slope, if no slope is above 1.
Status prelu(OpContext& op) {
  if (!op.require(2))
    return op.status();
  const TensorId x = op.input(0);
  const TensorId slope = op.input(1);
  if (op.failed() || !op.result().quant)
    return op.finishReal(OpKind::PRelu, {x, slope});
  if (op.result().type != DType::Int8 || !op.isQuantized(x) || !op.isQuantized(slope) ||
      !isFraction(op, slope)) {
    op.refuseQuantized();
    return op.status();
  }
  const TensorId less = op.step("less", OpKind::Mul, {x, slope}, {}, op.result().quant);
  return op.finish(OpKind::Max, {timesOne(op, x, "same", 1), less});
}

Status rsqrt(OpContext& op) {
  if (!op.require(1) || op.refuseQuantized())
    return op.status();
  const TensorId root = op.step("root", OpKind::Sqrt, {op.real(op.input(0))});
  return op.finishReal(OpKind::Reciprocal, {root});
}

template <OpKind Kind> Status compare(OpContext& op) {
  return op.require(2) ? op.finishReal(Kind, {op.input(0), op.input(1)}) : op.status();
}

Status notEqual(OpContext& op) {
  if (!op.require(2))
    return op.status();
  const TensorId equal =
      op.step("equal", OpKind::Equal, {op.real(op.input(0)), op.real(op.input(1))});
  return op.finish(OpKind::Not, {equal});
}

template <OpKind Kind> Status logic(OpContext& op) {
  return op.require(2) ? op.finish(Kind, {op.input(0), op.input(1)}) : op.status();
}
Status logicalNot(OpContext& op) {
  return op.require(1) ? op.finish(OpKind::Not, {op.input(0)}) : op.status();
}

/// Both choices must have the quantization of the result.
Status flatSelect(OpContext& op) {
  if (!op.require(3))
    return op.status();
  const TensorId a = op.input(1);
  const TensorId b = op.input(2);
  if (op.failed())
    return op.status();
  TensorId condition = op.input(0);
  // SELECT: a condition of rank 1 chooses rows
  if (op.code().builtin == BuiltinOperator::SELECT && op.shape(condition).rank() == 1 &&
      op.shape(a).rank() > 1) {
    std::vector<int64_t> dims(op.shape(a).rank(), 1);
    dims[0] = op.shape(condition)[0];
    condition = op.reshaped(condition, Shape(dims));
  }
  return op.finish(OpKind::Where, {condition, op.requantized(a), op.requantized(b)});
}

/// Fractions of floats are rounded down.
Status floorDiv(OpContext& op) {
  if (!op.require(2))
    return op.status();
  const TensorId a = op.input(0);
  const TensorId b = op.input(1);
  if (op.failed())
    return op.status();
  if (op.tensor(a).type != DType::Float32)
    return op.unsupported("integers are not supported, only float32 is");
  return op.finish(OpKind::Floor, {op.step("quotient", OpKind::Div, {a, b})});
}

constexpr OpRule ElementOps[] = {
    {BuiltinOperator::ADD, 5, flatAdd},
    {BuiltinOperator::SUB, 5, flatSub},
    {BuiltinOperator::MUL, 7, flatMul},
    {BuiltinOperator::DIV, 2, flatDiv},
    {BuiltinOperator::MAXIMUM, 4, extreme<OpKind::Max>},
    {BuiltinOperator::MINIMUM, 4, extreme<OpKind::Min>},
    {BuiltinOperator::POW, 2, plainBinary<OpKind::Pow>, "computed in float"},
    {BuiltinOperator::ADD_N, 1, addN},
    {BuiltinOperator::FLOOR_DIV, 3, floorDiv, "float only"},
    {BuiltinOperator::SQUARED_DIFFERENCE, 2, squaredDifference},
    {BuiltinOperator::SQUARE, 1, flatSquare},
    {BuiltinOperator::RELU, 3, flatUnary<OpKind::Relu>},
    {BuiltinOperator::RELU6, 3, flatUnary<OpKind::Relu6>},
    {BuiltinOperator::RELU_N1_TO_1, 2, reluN1To1},
    {BuiltinOperator::RELU_0_TO_1, 1, relu0To1},
    {BuiltinOperator::LEAKY_RELU, 2, flatLeakyRelu},
    {BuiltinOperator::PRELU, 3, prelu},
    {BuiltinOperator::ELU, 1, flatUnary<OpKind::Elu>},
    {BuiltinOperator::GELU, 2, flatGelu},
    {BuiltinOperator::HARD_SWISH, 1, flatUnary<OpKind::HardSwish>},
    {BuiltinOperator::LOGISTIC, 3, flatUnary<OpKind::Sigmoid>},
    {BuiltinOperator::TANH, 3, flatUnary<OpKind::Tanh>},
    {BuiltinOperator::EXP, 2, flatUnary<OpKind::Exp>},
    {BuiltinOperator::LOG, 2, flatUnary<OpKind::Log>},
    {BuiltinOperator::SQRT, 2, flatUnary<OpKind::Sqrt>},
    {BuiltinOperator::RSQRT, 3, rsqrt},
    {BuiltinOperator::SIN, 1, flatUnary<OpKind::Sin>},
    {BuiltinOperator::COS, 1, flatUnary<OpKind::Cos>},
    {BuiltinOperator::ABS, 5, flatUnary<OpKind::Abs>},
    {BuiltinOperator::NEG, 1, flatUnary<OpKind::Neg>},
    {BuiltinOperator::SIGN, 2, flatUnary<OpKind::Sign>},
    {BuiltinOperator::CEIL, 1, flatUnary<OpKind::Ceil>},
    {BuiltinOperator::FLOOR, 1, flatUnary<OpKind::Floor>},
    {BuiltinOperator::ROUND, 1, flatUnary<OpKind::Round>},
    {BuiltinOperator::EQUAL, 4, compare<OpKind::Equal>},
    {BuiltinOperator::NOT_EQUAL, 3, notEqual},
    {BuiltinOperator::LESS, 3, compare<OpKind::Less>},
    {BuiltinOperator::LESS_EQUAL, 2, compare<OpKind::LessOrEqual>},
    {BuiltinOperator::GREATER, 2, compare<OpKind::Greater>},
    {BuiltinOperator::GREATER_EQUAL, 3, compare<OpKind::GreaterOrEqual>},
    {BuiltinOperator::LOGICAL_AND, 1, logic<OpKind::And>},
    {BuiltinOperator::LOGICAL_OR, 1, logic<OpKind::Or>},
    {BuiltinOperator::LOGICAL_NOT, 1, logicalNot},
    {BuiltinOperator::SELECT, 4, flatSelect},
    {BuiltinOperator::SELECT_V2, 2, flatSelect},
};

} // namespace

std::span<const OpRule> elementOps() { return ElementOps; }

} // namespace tigris
