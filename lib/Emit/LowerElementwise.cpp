// Element-wise operators, quantization boundaries, and normalizations over an axis.
#include "tigris/Emit/EvenScale.h"
#include "tigris/Emit/Functions.h"
#include "tigris/Emit/OpLowering.h"
#include "tigris/Emit/SigmoidConstants.h"

#include <cmath>

namespace tigris {

namespace {

bool isQuantized(const LoweringContext& context, TensorId id) {
  return isQuantizedType(context.graph().tensor(id).type);
}

/// The multiplier in the form that the operator's kernel requires.
Multiplier multiplierFor(const LoweringContext& context, const Op& op, double real) {
  return makeMultiplier(real, context.graph().rounding(), context.graph().tensor(op.input(0)).type);
}

template <typename... Params>
Status emitPlain(LoweringContext& context, const Op& op, tigris_opcode opcode,
                 const Params&... params) {
  const auto inputs = context.operands(op);
  if (!inputs)
    return inputs.error();
  return context.emit(op, opcode, *inputs, params...);
}

/// Sets constants for ADD, SUB, MUL or DIV if a result can be a half; returns whether it can.
bool evenConstants(const Op& op, DType type, const std::array<Quant, 3>& quants,
                   tigris_binary_params& params) {
  const auto& [a, b, out] = quants;
  if (op.kind == OpKind::Add || op.kind == OpKind::Sub) {
    const std::optional<EvenSum> sum = evenSum(type, a, b, out);
    if (!sum)
      return false;
    params.a_multiplier = sum->a;
    params.b_multiplier = op.kind == OpKind::Sub ? -sum->b : sum->b;
    params.out_shift = sum->denominator;
    return true;
  }
  std::optional<EvenScale> scale;
  if (op.kind == OpKind::Div) {
    scale = evenQuotient(a, b, out);
  } else if (op.kind == OpKind::Mul) {
    const Ratio ratio = ratioOf({a.scale, b.scale}, {out.scale});
    const auto most = static_cast<double>(largestMagnitude(type, a.zeroPoint)) *
                      static_cast<double>(largestMagnitude(type, b.zeroPoint));
    if (mayTie(ratio, most, type))
      scale = evenScale(ratio, most, type);
  }
  if (!scale)
    return false;
  params.out_multiplier = scale->numerator;
  params.out_shift = scale->denominator;
  return true;
}

/// Constants of integer arithmetic, for int8 as computed by TFLite; returns tigris_op.flags.
Expected<uint8_t> binaryConstants(const LoweringContext& context, const Op& op,
                                  tigris_binary_params& params) {
  const Expected<Quant> a = context.quant(op, op.input(0));
  if (!a)
    return a.error();
  const Expected<Quant> b = context.quant(op, op.input(1));
  if (!b)
    return b.error();
  const Expected<Quant> out = context.quant(op, op.output());
  if (!out)
    return out.error();
  if (context.roundsEven() &&
      evenConstants(op, context.graph().tensor(op.input(0)).type, {*a, *b, *out}, params))
    return TIGRIS_ROUND_EVEN;
  switch (op.kind) {
  case OpKind::Add:
  case OpKind::Sub: {
    const bool wide = context.graph().tensor(op.input(0)).type == DType::Int16;
    const AddConstants constants =
        wide ? wideAddConstants(a->scale, b->scale, out->scale)
             : addConstants(a->scale, b->scale, out->scale, context.graph().rounding());
    params.left_shift = constants.leftShift;
    params.a_multiplier = constants.a.multiplier;
    params.a_shift = constants.a.shift;
    params.b_multiplier =
        wide && op.kind == OpKind::Sub ? -constants.b.multiplier : constants.b.multiplier;
    params.b_shift = constants.b.shift;
    params.out_multiplier = constants.out.multiplier;
    params.out_shift = constants.out.shift;
    return 0;
  }
  case OpKind::Mul:
  case OpKind::Div: {
    // float32 arithmetic, as in mul.cc and div.cc; mul_common.cc of TensorFlow Lite Micro has
    // float64
    const bool isMul = op.kind == OpKind::Mul;
    const bool micro = context.graph().rounding() == IntegerRounding::Micro;
    const double real = isMul && micro
                            ? static_cast<double>(a->scale) * static_cast<double>(b->scale) /
                                  static_cast<double>(out->scale)
                        : isMul ? static_cast<double>(a->scale * b->scale / out->scale)
                                : static_cast<double>(a->scale / (b->scale * out->scale));
    const Multiplier multiplier = multiplierFor(context, op, real);
    params.out_multiplier = multiplier.multiplier;
    params.out_shift = multiplier.shift;
    return context.twiceFlag(context.graph().tensor(op.input(0)).type);
  }
  default:
    if (Status status = context.requireSameQuant(op, {op.input(0), op.input(1), op.output()});
        !status)
      return status.takeError();
    return 0;
  }
}

/// Emits the int8 op as a table of the results of its 256 operands.
Status emitLookup(LoweringContext& context, const Op& op, const std::array<int8_t, 256>& table) {
  const Expected<tigris_operand> x = context.operand(op.input(0));
  if (!x)
    return x.error();
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(table.data()),
                                       table.size());
  const std::array<tigris_operand, 2> inputs = {
      *x, context.constant(op.name + "_table", TIGRIS_S8, {256}, bytes)};
  return context.emit(op, TIGRIS_OP_LOOKUP, inputs);
}

/// Emits a change of quantization of the op's operand, with bounds: REQUANTIZE, or on int8 a table
/// if a result can be a half. `multiplier` is that of REQUANTIZE.
Status emitRequantize(LoweringContext& context, const Op& op, const Quant& input,
                      const Quant& output, const Multiplier& multiplier, const Bounds& bounds) {
  const DType type = context.graph().tensor(op.input(0)).type;
  const Ratio ratio = ratioOf({input.scale}, {output.scale});
  const auto most = static_cast<double>(largestMagnitude(type, input.zeroPoint));
  tigris_requantize_params params = {multiplier.multiplier, multiplier.shift, bounds.lo.i,
                                     bounds.hi.i};
  if (!context.roundsEven() || !mayTie(ratio, most, type)) {
    const auto inputs = context.operands(op);
    if (!inputs)
      return inputs.error();
    return context.emit(op, TIGRIS_OP_REQUANTIZE, *inputs, params, {context.twiceFlag(type)});
  }
  if (type == DType::Int8)
    return emitLookup(
        context, op,
        requantizeTable(input, output, {bounds.lo.i, bounds.hi.i}, context.graph().rounding()));
  const EvenScale scale = evenScale(ratio, most, type);
  params.multiplier = scale.numerator;
  params.shift = scale.denominator;
  const auto inputs = context.operands(op);
  if (!inputs)
    return inputs.error();
  return context.emit(op, TIGRIS_OP_REQUANTIZE, *inputs, params, evenForm(true));
}

} // namespace

Status lowerBinary(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  if (op.inputs.size() != 2)
    return LoweringContext::unsupported(op, "has ", op.inputs.size(),
                                        " operands, the kernel takes 2");
  tigris_binary_params params = {};
  const DType type = context.graph().tensor(op.input(0)).type;
  if (type != DType::Float32 && !isQuantizedType(type)) {
    if (op.act != Activation::None)
      return LoweringContext::unsupported(op, "kernels do not clamp ", dtypeName(type));
    return emitPlain(context, op, opcode, params);
  }
  const Expected<Bounds> bounds = activationBounds(context, op);
  if (!bounds)
    return bounds.error();
  params.lo = bounds->lo;
  params.hi = bounds->hi;
  uint8_t flags = 0;
  if (isQuantized(context, op.input(0))) {
    const Expected<uint8_t> constants = binaryConstants(context, op, params);
    if (!constants)
      return constants.error();
    flags = *constants;
  }
  const auto inputs = context.operands(op);
  if (!inputs)
    return inputs.error();
  return context.emit(op, opcode, *inputs, params, {flags});
}

namespace {

/// int16 in graphs that round as TensorFlow Lite Micro: its tables of sigmoid and tanh.
std::optional<tigris_sigmoid_params> sigmoidParams(const LoweringContext& context, const Op& op) {
  if (context.twiceFlag(context.graph().tensor(op.input(0)).type) == 0 ||
      (op.kind != OpKind::Sigmoid && op.kind != OpKind::Tanh))
    return std::nullopt;
  const auto quants = context.quants(op);
  if (!quants)
    return std::nullopt;
  const auto constants = sigmoidConstants(op.kind, quants->input, quants->output);
  if (!constants)
    return std::nullopt;
  return tigris_sigmoid_params{unaryParams(op).function, constants->multiplier, constants->shift};
}

} // namespace

Status lowerUnary(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  if (const auto params = sigmoidParams(context, op))
    return emitPlain(context, op, TIGRIS_OP_SIGMOID_INT, *params);
  if (op.kind == OpKind::LeakyRelu &&
      context.twiceFlag(context.graph().tensor(op.input(0)).type) != 0)
    return emitLeakyRelu(context, op);
  if (opcode == TIGRIS_OP_UNARY)
    return emitPlain(context, op, opcode, unaryParams(op));
  const auto quants = context.quants(op);
  if (!quants)
    return quants.error();
  const auto& [input, output] = *quants;
  return emitLookup(context, op, lookupTable(op, input, output, context.graph().rounding()));
}

Status lowerClamp(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  float lo = 0;
  float hi = op.kind == OpKind::Relu6 ? 6 : Open;
  if (op.kind == OpKind::Clip) {
    lo = static_cast<float>(op.attrs.getFloat("min", -Open));
    hi = static_cast<float>(op.attrs.getFloat("max", Open));
    if (lo > hi) // ONNX: the maximum wins
      lo = hi;
  }
  if (!isQuantized(context, op.input(0))) {
    const Bounds bounds = clampBounds(lo, hi);
    return emitPlain(context, op, opcode, tigris_clamp_params{bounds.lo, bounds.hi});
  }
  const auto quants = context.quants(op);
  if (!quants)
    return quants.error();
  const auto& [input, output] = *quants;
  // RELU6 of TensorFlow Lite Micro clamps in the units of its operand and keeps the scale
  const bool keeps =
      op.kind == OpKind::Relu6 && context.graph().rounding() == IntegerRounding::Micro;
  const Bounds bounds = clampBounds(context, op.output(), lo, hi, keeps ? input : output);
  if (keeps || input == output)
    return emitPlain(context, op, opcode, tigris_clamp_params{bounds.lo, bounds.hi});
  // activations.cc divides the scales in float32
  const Multiplier multiplier = multiplierFor(context, op, input.scale / output.scale);
  return emitRequantize(context, op, input, output, multiplier, bounds);
}

Status lowerPRelu(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  return emitPlain(context, op, opcode);
}

Status lowerBatchNorm(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  const Expected<Bounds> bounds = activationBounds(context, op);
  if (!bounds)
    return bounds.error();
  return emitPlain(context, op, opcode, tigris_clamp_params{bounds->lo, bounds->hi});
}

Status lowerQuantize(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  const TensorId quantized = opcode == TIGRIS_OP_QUANTIZE ? op.output() : op.input(0);
  if (const Expected<Quant> quant = context.quant(op, quantized); !quant)
    return quant.error();
  return emitPlain(context, op, opcode);
}

namespace {

/// The quantization of an int8, int16 or int32 tensor.
Expected<Quant> quantOf(const LoweringContext& context, const Op& op, TensorId id) {
  const Tensor& tensor = context.graph().tensor(id);
  if (tensor.type == DType::Int32 && tensor.quant && !tensor.quant->perChannel())
    return Quant{tensor.quant->scale[0], 0};
  return context.quant(op, id);
}

/// A change of type, which TensorFlow Lite rounds twice.
Status emitRescale(LoweringContext& context, const Op& op) {
  const Expected<Quant> input = quantOf(context, op, op.input(0));
  if (!input)
    return input.error();
  const Expected<Quant> output = quantOf(context, op, op.output());
  if (!output)
    return output.error();
  const Multiplier multiplier =
      quantizeMultiplier(static_cast<double>(input->scale) / static_cast<double>(output->scale));
  const DType type = context.graph().tensor(op.output()).type;
  return emitPlain(context, op, TIGRIS_OP_RESCALE,
                   tigris_requantize_params{multiplier.multiplier, multiplier.shift,
                                            static_cast<int32_t>(dtypeMin(type)),
                                            static_cast<int32_t>(dtypeMax(type))});
}

} // namespace

Status lowerRequantize(LoweringContext& context, const Op& op, tigris_opcode) {
  if (context.graph().tensor(op.input(0)).type != context.graph().tensor(op.output()).type)
    return emitRescale(context, op);
  const auto quants = context.quants(op);
  if (!quants)
    return quants.error();
  const auto& [input, output] = *quants;
  const Multiplier multiplier = multiplierFor(
      context, op, static_cast<double>(input.scale) / static_cast<double>(output.scale));
  const Bounds open = clampBounds(context, op.output(), -Open, Open, output);
  return emitRequantize(context, op, input, output, multiplier, open);
}

namespace {

/// Whether TensorFlow Lite has an integer softmax with this result, whose scale is fixed.
bool isSoftmaxResult(DType input, DType output, const Quant& quant) {
  if (output == DType::Int8)
    return quant == Quant{1.0F / 256, -128};
  const double scale = input == DType::Int8 ? 1.0 / 65536 : 1.0 / 32768;
  return quant.zeroPoint == (input == DType::Int8 ? -32768 : 0) &&
         std::abs(static_cast<double>(quant.scale) - scale) <= 0.001 * scale;
}

Expected<SoftmaxConstants> softmaxConstantsOf(const LoweringContext& context, const Op& op,
                                              double beta) {
  const DType input = context.graph().tensor(op.input(0)).type;
  const DType output = context.graph().tensor(op.output()).type;
  const auto quants = context.quants(op);
  if (!quants)
    return quants.error();
  const Quant& y = quants->output;
  if (!isSoftmaxResult(input, output, y))
    return LoweringContext::unsupported(op, "the ", dtypeName(output), " result has scale ",
                                        y.scale, " and zero point ", y.zeroPoint,
                                        ", the kernel writes ",
                                        output == DType::Int8  ? "1/256 and -128"
                                        : input == DType::Int8 ? "1/65536 and -32768"
                                                               : "1/32768 and 0");
  const double scale = beta * static_cast<double>(quants->input.scale);
  return input == DType::Int8 ? softmaxConstants(scale) : wideSoftmaxConstants(scale);
}

} // namespace

Status lowerSoftmax(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  const size_t rank = context.graph().tensor(op.input(0)).shape.rank();
  const auto axis = normalizeAxis(op.attrs.getInt("axis", -1), rank);
  if (!axis)
    return makeError(DiagId::BadAttr, "op '", op.name, "': axis ", op.attrs.getInt("axis", -1),
                     " is outside rank ", rank);
  tigris_softmax_params params = {static_cast<int32_t>(*axis), 0, 0, 0};
  const double beta = op.attrs.getFloat("beta", 1.0);
  if (isQuantized(context, op.input(0))) {
    const Expected<SoftmaxConstants> constants = softmaxConstantsOf(context, op, beta);
    if (!constants)
      return constants.error();
    params.multiplier = constants->multiplier;
    params.left_shift = constants->leftShift;
    params.diff_min = constants->diffMin;
  } else if (beta != 1.0) {
    return LoweringContext::unsupported(op, "'beta' is ", beta,
                                        ", floats need 1; multiply the operand instead");
  }
  return emitPlain(context, op, opcode, params);
}

Status lowerLayerNorm(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  const size_t rank = context.graph().tensor(op.input(0)).shape.rank();
  const auto axis = normalizeAxis(op.attrs.getInt("axis", -1), rank);
  if (!axis)
    return makeError(DiagId::BadAttr, "op '", op.name, "': axis ", op.attrs.getInt("axis", -1),
                     " is outside rank ", rank);
  const int64_t size = context.graph().tensor(op.input(0)).shape.elementsFrom(*axis);
  for (size_t i = 1; i < op.inputs.size(); ++i)
    if (op.input(i) && context.graph().tensor(op.input(i)).elements() != size)
      return LoweringContext::unsupported(op, "tensor '", context.graph().tensor(op.input(i)).name,
                                          "' has ", context.graph().tensor(op.input(i)).elements(),
                                          " elements, expected ", size);
  return emitPlain(
      context, op, opcode,
      tigris_layer_norm_params{static_cast<uint32_t>(rank - *axis),
                               static_cast<float>(op.attrs.getFloat("epsilon", 1e-5))});
}

} // namespace tigris
