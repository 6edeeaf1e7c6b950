// Requantizes operands to int32 and the sum back.
#include "tigris/Import/Tflite/FixedSums.h"

#include <cmath>

namespace tigris {

namespace {

constexpr int SpareBits = 19;

QuantParam fixedQuant(const QuantParam& quant) {
  return QuantParam{{std::ldexp(quant.scale[0], -SpareBits)}, {0}, -1};
}

} // namespace

TensorId asFixed(OpContext& op, TensorId x) {
  if (op.failed())
    return {};
  return op.step("fixed", OpKind::Requantize, {x}, {}, fixedQuant(*op.tensor(x).quant),
                 DType::Int32);
}

const Status& finishFixed(OpContext& op, TensorId sum, TensorId x) {
  if (op.failed())
    return op.status();
  const QuantParam& quant = *op.tensor(x).quant;
  const QuantParam fixed = fixedQuant(quant);
  const TensorId first = op.constant(
      "first", {DType::Int32, Shape(),
                makeBlobOf(std::vector<int32_t>{-quant.zeroPoint[0] * (int32_t{1} << SpareBits)})});
  const TensorId all = op.step("all", OpKind::Add, {sum, first}, {}, fixed);
  return op.finish(OpKind::Requantize, {all});
}

bool sumsAreFixed(OpContext& op, TensorId x) {
  const TensorFacts& result = op.result();
  if (op.failed() || !result.quant)
    return false;
  if (result.portType == DType::Int8 && !result.quant->perChannel() && op.isQuantized(x) &&
      op.tensor(x).type == DType::Int8 && !op.tensor(x).quant->perChannel())
    return true;
  op.refuseQuantized();
  return false;
}

} // namespace tigris
