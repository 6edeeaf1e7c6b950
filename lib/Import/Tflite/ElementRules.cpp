// Operators that work element by element: arithmetic, functions, comparisons and selections.
//
// Quantized operands are used as they are where the operator has an integer form; elsewhere they
// are dequantized.
#include "tigris/Import/Tflite/FixedSums.h"
#include "tigris/Import/Tflite/OpTables.h"

#include <algorithm>
#include <cmath>

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

/// The operands of a rule for two; invalid ids after an error, such as a missing one.
struct TwoOperands {
  explicit TwoOperands(OpContext& op) {
    if (!op.require(2))
      return;
    a = op.input(0);
    b = op.input(1);
  }

  TensorId a;
  TensorId b;
};

Status finishEither(OpContext& op, OpKind kind, std::vector<TensorId> inputs, AttrMap attrs = {}) {
  if (op.failed())
    return op.status();
  return isInteger(op, kind, inputs) ? op.finish(kind, std::move(inputs), std::move(attrs))
                                     : op.finishReal(kind, std::move(inputs), std::move(attrs));
}

Status flatBinary(OpContext& op, OpKind kind, ActivationFunctionType activation) {
  const auto [a, b] = TwoOperands(op);
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

/// Maxima and minima of integers, which must have the quantization of the result: TensorFlow Lite
/// Micro compares the stored integers.
template <OpKind Kind> Status extreme(OpContext& op) {
  const auto [a, b] = TwoOperands(op);
  if (op.failed())
    return op.status();
  const auto& quant = op.result().quant;
  if (op.tensor(a).quant != quant || op.tensor(b).quant != quant)
    return op.unsupported("its operands and its result are quantized differently; convert the "
                          "model with one quantization for all of them");
  return op.finish(Kind, {a, b});
}

Status addFixed(OpContext& op) {
  const TensorId first = op.input(0);
  TensorId sum = asFixed(op, first);
  for (size_t i = 1; i < op.inputCount(); ++i) {
    const TensorId next = op.input(i);
    if (!op.failed() && op.tensor(next).quant != op.tensor(first).quant)
      return op.unsupported("its operands are quantized differently");
    sum = op.step("sum", OpKind::Add, {sum, asFixed(op, next)}, {}, op.tensor(sum).quant);
  }
  return finishFixed(op, sum, first);
}

Status addN(OpContext& op) {
  if (!op.require(1))
    return op.status();
  TensorId sum = op.input(0);
  if (sumsAreFixed(op, sum))
    return addFixed(op);
  for (size_t i = 1; i + 1 < op.inputCount(); ++i)
    sum = op.step("sum", OpKind::Add, {op.real(sum), op.real(op.input(i))});
  if (op.inputCount() == 1)
    return op.finishAs(sum);
  return op.finishReal(OpKind::Add, {sum, op.input(op.inputCount() - 1)});
}

Status squaredDifference(OpContext& op) {
  const auto [a, b] = TwoOperands(op);
  if (op.failed())
    return op.status();
  if (isInteger(op, OpKind::SquaredDifference, {a, b}))
    return op.finish(OpKind::SquaredDifference, {a, b});
  if (op.refuseQuantized())
    return op.status();
  const TensorId difference = op.step("difference", OpKind::Sub, {op.real(a), op.real(b)});
  return op.finishReal(OpKind::Mul, {difference, difference});
}

Status flatSquare(OpContext& op) {
  if (!op.require(1))
    return op.status();
  const TensorId x = op.input(0);
  return op.finishReal(OpKind::Mul, {x, x});
}

/// Whether TensorFlow Lite has sigmoid and tanh for the scales of int16.
bool hasSigmoidTable(OpContext& op) {
  constexpr float Steps = 32768;
  constexpr float Near = 5e-4F;
  constexpr float Most = 2.6F;
  const TensorId x = op.input(0);
  const auto& quant = op.result().quant;
  if (!op.isQuantized(x) || !quant || quant->perChannel() || op.tensor(x).quant->perChannel())
    return false;
  const QuantParam& from = *op.tensor(x).quant;
  if (from.zeroPoint[0] == 0 && quant->zeroPoint[0] == 0 &&
      std::abs(quant->scale[0] * Steps - 1) < Near && from.scale[0] < Most)
    return true;
  op.unsupported(
      "int16 needs zero points 0, a result of scale 1/32768 and an input of scale below ", Most);
  return false;
}

template <OpKind Kind> Status flatUnary(OpContext& op) {
  if (!op.require(1))
    return op.status();
  // the reference of uint8, LiteRT, changes the scale in its own way
  if (Kind == OpKind::Relu6 && op.result().portType == DType::UInt8 &&
      op.tensor(op.input(0)).quant != op.result().quant)
    op.refuseQuantized();
  // kernels compute other functions of int16 in float
  if (op.result().type == DType::Int16 && opInfo(Kind).opClass == OpClass::Function &&
      !(Kind == OpKind::Sigmoid || Kind == OpKind::Tanh ? hasSigmoidTable(op) : false))
    op.refuseQuantized();
  return finishEither(op, Kind, {op.input(0)});
}

/// |x| of int16 is a PRelu with the slope -1.
Status flatAbs(OpContext& op) {
  if (!op.require(1))
    return op.status();
  const TensorId x = op.input(0);
  if (op.failed() || op.result().type != DType::Int16 || !op.result().quant)
    return flatUnary<OpKind::Abs>(op);
  const TensorId slope =
      op.constant("slope", {DType::Int16, Shape(), makeBlobOf(std::vector<int16_t>{int16_t{-1}})});
  if (!op.failed())
    op.builder().graph().editTensor(slope).quant = QuantParam{{1}, {0}, -1};
  return op.finish(OpKind::IntegerPRelu, {x, slope});
}

Status flatClip(OpContext& op, double lo, double hi) {
  return op.require(1) ? finishEither(op, OpKind::Clip, {op.input(0)}, {{"min", lo}, {"max", hi}})
                       : op.status();
}
Status reluN1To1(OpContext& op) { return flatClip(op, -1, 1); }
Status relu0To1(OpContext& op) { return flatClip(op, 0, 1); }

Status flatLeakyRelu(OpContext& op) {
  const auto* options = op.options<tflite::LeakyReluOptions>();
  if (!op.require(1))
    return op.status();
  const double alpha = options == nullptr ? 0.0 : static_cast<double>(options->alpha());
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

Status prelu(OpContext& op) {
  const auto [x, slope] = TwoOperands(op);
  if (op.failed())
    return op.status();
  if (op.result().type == DType::Int8 && isInteger(op, OpKind::IntegerPRelu, {x, slope}))
    return op.finish(OpKind::IntegerPRelu, {x, slope});
  op.refuseQuantized();
  return op.finishReal(OpKind::PRelu, {x, slope});
}

Status rsqrt(OpContext& op) {
  if (!op.require(1))
    return op.status();
  const TensorId x = op.input(0);
  if (op.failed())
    return op.status();
  if (op.result().type != DType::Int8 || !isInteger(op, OpKind::Rsqrt, {x}))
    op.refuseQuantized();
  return op.finish(OpKind::Rsqrt, {x});
}

/// TensorFlow Lite Micro compares quantized numbers in steps of 1/256. With one scale of at least
/// that, the real numbers compare alike.
bool comparesAlike(OpContext& op, TensorId a, TensorId b) {
  if (!op.isQuantized(a) && !op.isQuantized(b))
    return true;
  if (op.isQuantized(a) && op.isQuantized(b)) {
    const QuantParam& left = *op.tensor(a).quant;
    const QuantParam& right = *op.tensor(b).quant;
    if (!left.perChannel() && left.scale == right.scale && left.scale[0] >= 1.0F / 256 &&
        left.scale[0] < 1)
      return true;
  }
  op.unsupported("compares quantized tensors, which need one scale for both, between 1/256 and 1");
  return false;
}

template <OpKind Kind> Status compare(OpContext& op) {
  const auto [a, b] = TwoOperands(op);
  return comparesAlike(op, a, b) ? op.finishReal(Kind, {a, b}) : op.status();
}

Status notEqual(OpContext& op) {
  const auto [a, b] = TwoOperands(op);
  if (!comparesAlike(op, a, b))
    return op.status();
  const TensorId equal = op.step("equal", OpKind::Equal, {op.real(a), op.real(b)});
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

/// Reports an error for quantized numbers; returns whether it has.
bool refuseScaled(OpContext& op) {
  if (!op.failed() && op.result().quant)
    op.unsupported("quantized integers are not supported, only plain ones and float32 are");
  return op.failed();
}

/// Fractions are rounded down; integers without their remainder are multiples.
Status floorDiv(OpContext& op) {
  const auto [a, b] = TwoOperands(op);
  if (refuseScaled(op))
    return op.status();
  if (op.tensor(a).type == DType::Float32)
    return op.finish(OpKind::Floor, {op.step("quotient", OpKind::Div, {a, b})});
  const TensorId rest = op.step("rest", OpKind::Mod, {a, b});
  return op.finish(OpKind::Div, {op.step("multiple", OpKind::Sub, {a, rest}), b});
}

/// The remainder has the sign of the divisor; that of floats is corrected.
Status floorMod(OpContext& op) {
  const auto [a, b] = TwoOperands(op);
  if (refuseScaled(op))
    return op.status();
  if (op.tensor(a).type != DType::Float32)
    return op.finish(OpKind::Mod, {a, b});
  const TensorId zero = op.scalar("zero", 0);
  const TensorId rest = op.step("rest", OpKind::Mod, {a, b}, {{"fmod", int64_t{1}}});
  const TensorId below = op.step("below", OpKind::Less, {rest, zero});
  const TensorId divisor = op.step("divisor", OpKind::Less, {b, zero});
  const TensorId differs = op.step("differs", OpKind::Xor, {below, divisor});
  const TensorId exact = op.step("exact", OpKind::Equal, {rest, zero});
  const TensorId inexact = op.step("inexact", OpKind::Not, {exact});
  const TensorId wrong = op.step("wrong", OpKind::And, {differs, inexact});
  return op.finish(OpKind::Where, {wrong, op.step("moved", OpKind::Add, {rest, b}), rest});
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
    {BuiltinOperator::FLOOR_DIV, 3, floorDiv, "no quantized integers"},
    {BuiltinOperator::FLOOR_MOD, 2, floorMod, "no quantized integers"},
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
    {BuiltinOperator::ABS, 5, flatAbs},
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
