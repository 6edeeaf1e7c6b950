// QuantizeLinear and DequantizeLinear. They process all weights of a model, so the loops work on
// the stored type and hoist the parameters of a channel.
#include "tigris/IR/EvalRules.h"

#include <cmath>

namespace tigris::eval {

namespace {

/// Scale and zero point per channel, and the layout of channels in the tensor: `channels` runs of
/// `inner` elements, `outer` times.
struct LinearParams {
  std::vector<float> scale;
  std::vector<int64_t> zeroPoint;
  size_t outer = 1;
  size_t inner = 1;
};

/// From the operands or, after folding, from `quantized`, the tensor on the integer side.
std::optional<LinearParams> parameters(const OpValues& op, const Tensor* quantized) {
  LinearParams params;
  const Shape& x = op.shape(0);
  int64_t axis = op.attrs().getInt("axis", 1);
  if (op.has(1)) {
    params.scale = op.load<float>(1);
    if (op.has(2))
      params.zeroPoint = op.load<int64_t>(2);
    else
      params.zeroPoint.assign(params.scale.size(), 0);
  } else if (quantized != nullptr && quantized->quant) {
    params.scale = quantized->quant->scale;
    params.zeroPoint.assign(quantized->quant->zeroPoint.begin(), quantized->quant->zeroPoint.end());
    axis = quantized->quant->axis;
  } else {
    return std::nullopt;
  }
  const auto elements = static_cast<size_t>(x.elements());
  if (params.scale.size() == 1) {
    params.inner = elements;
    return params;
  }
  const auto at = normalizeAxis(axis, x.rank());
  if (op.attrs().getInt("block_size") != 0 || !at ||
      static_cast<int64_t>(params.scale.size()) != x[*at])
    return std::nullopt;
  params.outer = static_cast<size_t>(x.elementsBefore(*at));
  params.inner = static_cast<size_t>(x.elementsFrom(*at + 1));
  return params;
}

/// nearbyint with two additions where the fraction can be shifted out; larger numbers use the slow
/// path.
float roundHalfToEven(float x) {
  constexpr float Shift = 12582912.0F; // 1.5 * 2^23
  return std::abs(x) < 4194304.0F ? (x + Shift) - Shift : std::nearbyint(x);
}

/// Calls run(first, count, scale, zeroPoint) for every run of elements with the same parameters.
template <typename Fn> void forEachRun(const LinearParams& params, Fn&& run) {
  size_t first = 0;
  for (size_t o = 0; o < params.outer; ++o)
    for (size_t c = 0; c < params.scale.size(); ++c, first += params.inner)
      run(first, params.inner, params.scale[c], params.zeroPoint[c]);
}

} // namespace

Outcome quantize(const OpValues& op) {
  const ResultType& result = op.result();
  const TensorId target = op.op().output();
  const auto params = parameters(op, target ? &op.values().graph().tensor(target) : nullptr);
  if (!params || !isInteger(result.type) || result.type == DType::Int64)
    return std::nullopt;
  const std::vector<float> x = op.load<float>(0);
  std::vector<uint8_t> bytes(x.size() * dtypeSize(result.type));
  withStorage(result.type, [&](auto zero) {
    using Stored = decltype(zero);
    // The bounds of the type must be exact in this type.
    using Real = std::conditional_t<sizeof(Stored) < sizeof(float), float, double>;
    const auto least = static_cast<Real>(dtypeMin(result.type));
    const auto most = static_cast<Real>(dtypeMax(result.type));
    forEachRun(*params, [&](size_t first, size_t count, float scale, int64_t zeroPoint) {
      const auto offset = static_cast<Real>(zeroPoint);
      for (size_t i = first; i < first + count; ++i) {
        const Real rounded = static_cast<Real>(roundHalfToEven(x[i] / scale)) + offset;
        // The negated comparison maps NaN to the lower bound.
        const Real bounded = !(rounded > least) ? least : rounded < most ? rounded : most;
        const auto stored = static_cast<Stored>(static_cast<int32_t>(bounded));
        std::memcpy(bytes.data() + i * sizeof(Stored), &stored, sizeof(Stored));
      }
    });
  });
  return std::vector<BlobRef>{makeBlob(std::move(bytes))};
}

Outcome dequantize(const OpValues& op) {
  const ResultType& result = op.result();
  const auto params = parameters(op, &op.tensor(0));
  if (!params || result.type != DType::Float32)
    return std::nullopt;
  std::vector<uint8_t> bytes(static_cast<size_t>(result.shape.elements()) * sizeof(float));
  const BlobRef blob = op.blob(0);
  const uint8_t* source = blob->bytes().data();
  withStorage(op.type(0), [&](auto zero) {
    using Stored = decltype(zero);
    forEachRun(*params, [&](size_t first, size_t count, float scale, int64_t zeroPoint) {
      for (size_t i = first; i < first + count; ++i) {
        Stored stored;
        std::memcpy(&stored, source + i * sizeof(Stored), sizeof(Stored));
        float real = 0;
        if constexpr (sizeof(Stored) < 4)
          real = static_cast<float>(static_cast<int32_t>(stored) - static_cast<int32_t>(zeroPoint));
        else
          real = static_cast<float>(convertElement<int64_t>(stored) - zeroPoint);
        real *= scale;
        std::memcpy(bytes.data() + i * sizeof(float), &real, sizeof(float));
      }
    });
  });
  return std::vector<BlobRef>{makeBlob(std::move(bytes))};
}

} // namespace tigris::eval
