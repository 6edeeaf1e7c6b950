// Integer operators that only TensorFlow Lite has, with its multipliers.
//
// Sources: tensorflow/lite/micro/kernels, prelu_common.cc, squared_difference.cc,
// logistic_common.cc, tanh.cc.
#include "tigris/Emit/OpLowering.h"
#include "tigris/Emit/SigmoidConstants.h"

#include <array>
#include <cmath>

namespace tigris {

namespace {

/// Quantizations of both operands and the result, and bounds that do not clamp.
struct MicroBinary {
  Quant a;
  Quant b;
  Quant out;
  tigris_binary_params params = {};
};

Expected<MicroBinary> microBinary(const LoweringContext& context, const Op& op) {
  MicroBinary binary;
  for (const auto& [id, quant] :
       {std::pair(op.input(0), &binary.a), std::pair(op.input(1), &binary.b),
        std::pair(op.output(), &binary.out)}) {
    const Expected<Quant> given = context.quant(op, id);
    if (!given)
      return given.error();
    *quant = *given;
  }
  const Bounds open = clampBounds(context, op.output(), -Open, Open, binary.out);
  binary.params.lo = open.lo;
  binary.params.hi = open.hi;
  return binary;
}

Status emitMicroBinary(LoweringContext& context, const Op& op, tigris_opcode opcode,
                       const tigris_binary_params& params) {
  const auto inputs = context.operands(op);
  if (!inputs)
    return inputs.error();
  return context.emit(op, opcode, *inputs, params);
}

void setMicroPair(double real, int32_t& multiplier, int32_t& shift) {
  const Multiplier pair = quantizeMultiplier(real);
  multiplier = pair.multiplier;
  shift = pair.shift;
}

/// TensorFlow Lite's test for powers of two, in float32.
std::optional<int> powerOfTwo(float scale) {
  constexpr float Most = 1e-3F;
  const float logarithm = std::log(scale) * (1.0F / std::log(2.0F));
  const float rounded = std::round(logarithm);
  return std::abs(logarithm - rounded) < Most ? std::optional(static_cast<int>(rounded))
                                              : std::nullopt;
}

} // namespace

Status lowerIntegerPRelu(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  Expected<MicroBinary> binary = microBinary(context, op);
  if (!binary)
    return binary.takeError();
  tigris_binary_params& params = binary->params;
  const double x = binary->a.scale;
  setMicroPair(x / binary->out.scale, params.a_multiplier, params.a_shift);
  setMicroPair(x * binary->b.scale / binary->out.scale, params.out_multiplier, params.out_shift);
  return emitMicroBinary(context, op, opcode, params);
}

Status emitLeakyRelu(LoweringContext& context, const Op& op) {
  const auto quants = context.quants(op);
  if (!quants)
    return quants.error();
  const auto& [x, y] = *quants;
  const Expected<tigris_operand> operand = context.operand(op.input(0));
  if (!operand)
    return operand.error();
  const auto alpha = static_cast<float>(op.attrs.getFloat("alpha", 0.01));
  tigris_binary_params params = {};
  const Bounds open = clampBounds(context, op.output(), -Open, Open, y);
  params.lo = open.lo;
  params.hi = open.hi;
  // float32, as in leaky_relu_common.cc
  setMicroPair(x.scale / y.scale, params.a_multiplier, params.a_shift);
  setMicroPair(std::abs(x.scale * alpha / y.scale), params.out_multiplier, params.out_shift);
  const std::array<uint8_t, 2> sign = {alpha < 0 ? uint8_t{0xFF} : uint8_t{1},
                                       alpha < 0 ? uint8_t{0xFF} : uint8_t{0}};
  const std::array<tigris_operand, 2> inputs = {
      *operand,
      context.constant(op.name + "_sign", TIGRIS_S16, {1}, sign, context.image().quant({1, 0}))};
  return context.emit(op, TIGRIS_OP_PRELU_INT, inputs, params);
}

Status lowerSquaredDifference(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  Expected<MicroBinary> binary = microBinary(context, op);
  if (!binary)
    return binary.takeError();
  tigris_binary_params& params = binary->params;
  params.left_shift = context.graph().tensor(op.output()).type == DType::Int8 ? 7 : 0;
  const double twice = 2.0 * static_cast<double>(std::max(binary->a.scale, binary->b.scale));
  setMicroPair(binary->a.scale / twice, params.a_multiplier, params.a_shift);
  setMicroPair(binary->b.scale / twice, params.b_multiplier, params.b_shift);
  setMicroPair(twice * twice /
                   std::ldexp(static_cast<double>(binary->out.scale), 2 * params.left_shift),
               params.out_multiplier, params.out_shift);
  return emitMicroBinary(context, op, opcode, params);
}

std::optional<SigmoidConstants> sigmoidConstants(OpKind kind, const Quant& input,
                                                 const Quant& output) {
  constexpr int OutputBits = 15;
  constexpr int InputBits = 12;
  constexpr double Half = 32767.0 / 2.0;
  if (input.zeroPoint != 0 || output.zeroPoint != 0 || powerOfTwo(output.scale) != -OutputBits)
    return std::nullopt;
  if (const std::optional<int> power = powerOfTwo(input.scale)) {
    const int shift = InputBits + *power;
    if (shift == 0 || (shift == 1 && kind == OpKind::Tanh))
      return SigmoidConstants{3 << shift, 0};
  }
  double real = static_cast<double>(input.scale) * 4096.0 * 3.0;
  SigmoidConstants result;
  while (real <= Half && result.shift <= 30) {
    ++result.shift;
    real *= 2;
  }
  if (real >= 32768.0)
    return std::nullopt;
  result.multiplier = static_cast<int32_t>(real);
  return result;
}

} // namespace tigris
