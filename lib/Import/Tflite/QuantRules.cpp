// Conversions between types, and between real numbers and integers.
#include "tigris/Import/Tflite/OpTables.h"

namespace tigris {

using tflite::BuiltinOperator;

namespace {

Status flatQuantize(OpContext& op) {
  if (!op.require(1))
    return op.status();
  const TensorId x = op.input(0);
  if (op.failed())
    return op.status();
  const TensorFacts& result = op.result();
  if (!result.quant)
    return op.unsupported("its result has no scale");
  if (!op.isQuantized(x))
    return op.finish(OpKind::QuantizeLinear, {x});
  if (op.tensor(x).quant == result.quant && op.tensor(x).type == result.type)
    return op.finish(OpKind::Identity, {x});
  return op.finish(OpKind::Requantize, {x});
}

/// Constants of float16 are float32 already.
Status flatDequantize(OpContext& op) {
  if (!op.require(1))
    return op.status();
  const TensorId x = op.input(0);
  if (op.failed())
    return op.status();
  if (!op.isQuantized(x) || op.tensor(x).isConstant())
    return op.finishAs(op.real(x));
  return op.finish(OpKind::DequantizeLinear, {x});
}

/// Sparse constants are dense already.
Status densify(OpContext& op) { return op.require(1) ? op.finishAs(op.input(0)) : op.status(); }

/// TensorFlow Lite casts the stored integers, which are the real numbers if the zero point is 0 and
/// the scale 1.
Status flatCast(OpContext& op) {
  if (!op.require(1))
    return op.status();
  const TensorId x = op.input(0);
  if (op.failed())
    return op.status();
  const auto isPlain = [](const std::optional<QuantParam>& quant, int32_t zero) {
    return !quant || (!quant->perChannel() && quant->scale[0] == 1 && quant->zeroPoint[0] == zero);
  };
  const auto zeroOf = [](DType stored, DType inFile) {
    return stored == inFile ? 0 : inFile == DType::UInt8 ? -128 : -32768;
  };
  const Expected<TensorFacts> from = op.scope().facts(op.inputIndex(0));
  const TensorFacts& to = op.result();
  if (!from || !isPlain(op.tensor(x).quant, zeroOf(from->type, from->portType)) ||
      !isPlain(to.quant, zeroOf(to.type, to.portType)))
    return op.unsupported(
        "it casts quantized integers, whose scale must be 1 and zero point 0; use "
        "DEQUANTIZE and QUANTIZE");
  return op.finish(OpKind::Cast, {op.input(0)}, {{"to", std::string(dtypeName(op.result().type))}});
}

constexpr OpRule QuantOps[] = {
    {BuiltinOperator::QUANTIZE, 4, flatQuantize},
    {BuiltinOperator::DEQUANTIZE, 6, flatDequantize, "also float16 constants"},
    {BuiltinOperator::DENSIFY, 1, densify, "constants"},
    {BuiltinOperator::CAST, 7, flatCast},
};

} // namespace

std::span<const OpRule> quantOps() { return QuantOps; }

} // namespace tigris
