// Quantizes constants. Rounds to nearest even, as ONNX QuantizeLinear does.
#include "tigris/Quantize/WeightQuant.h"

#include "tigris/Quantize/Range.h"
#include "tigris/Support/Check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tigris {

namespace {

/// Finds the scale of an element: elements of one index of the axis are in blocks of `inner`.
struct ChannelWalk {
  ChannelWalk(const Shape& shape, int axis) {
    if (axis < 0)
      return;
    const auto at = static_cast<size_t>(axis);
    inner = 1;
    channels = static_cast<size_t>(shape[at]);
    for (size_t i = at + 1; i < shape.rank(); ++i)
      inner *= static_cast<size_t>(shape[i]);
  }
  size_t operator()(size_t element) const { return element / inner % channels; }

  size_t channels = 1;
  size_t inner = std::numeric_limits<size_t>::max();
};

int8_t rounded(float value, float scale) {
  const float q = std::nearbyint(value / scale);
  return static_cast<int8_t>(std::clamp(q, -127.0F, 127.0F));
}

double squaredError(const std::vector<float>& values, float scale) {
  double error = 0;
  for (const float value : values) {
    const double difference =
        static_cast<double>(value) - static_cast<double>(rounded(value, scale)) * scale;
    error += difference * difference;
  }
  return error;
}

/// max |w| / 127, or a smaller scale for which clipping a few weights reduces the total squared
/// error.
double bestScale(const std::vector<float>& values, bool leastError) {
  constexpr int Steps = 24;
  constexpr double Step = 0.0125;
  float reach = 0;
  for (const float value : values)
    reach = std::max(reach, std::abs(value));
  double best = reach / 127.0;
  if (!leastError || reach == 0)
    return best;
  double least = squaredError(values, static_cast<float>(best));
  for (int i = 1; i <= Steps; ++i) {
    const double tried = reach / 127.0 * (1 - Step * i);
    const double error = squaredError(values, static_cast<float>(tried));
    if (error < least) {
      least = error;
      best = tried;
    }
  }
  return best;
}

} // namespace

Tensor quantizeWeights(const Tensor& weights, int axis, bool leastError,
                       const std::vector<double>& smallestScale) {
  TIGRIS_CHECK(weights.isConstant() && weights.type == DType::Float32);
  const std::vector<float> values = weights.data->values<float>();
  const ChannelWalk channelOf(weights.shape, axis);
  std::vector<std::vector<float>> channels(channelOf.channels);
  for (size_t i = 0; i < values.size(); ++i)
    channels[channelOf(i)].push_back(values[i]);

  QuantParam quant;
  quant.axis = axis;
  quant.zeroPoint.assign(channels.size(), 0);
  for (size_t c = 0; c < channels.size(); ++c) {
    double scale = bestScale(channels[c], leastError);
    if (c < smallestScale.size())
      scale = std::max(scale, smallestScale[c]);
    const auto stored = static_cast<float>(scale);
    // A channel of zeros may have any scale.
    quant.scale.push_back(stored >= std::numeric_limits<float>::min() ? stored : 1.0F);
  }
  std::vector<int8_t> integers(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    integers[i] = rounded(values[i], quant.scale[channelOf(i)]);

  Tensor result = weights;
  result.type = DType::Int8;
  result.quant = std::move(quant);
  result.data = makeBlobOf(integers);
  return result;
}

Tensor quantizeConstant(const Tensor& constant, bool symmetric) {
  TIGRIS_CHECK(constant.isConstant() && constant.type == DType::Float32);
  const std::vector<float> values = constant.data->values<float>();
  ValueRange range;
  for (const float value : values) {
    range.low = std::min<double>(range.low, value);
    range.high = std::max<double>(range.high, value);
  }
  Tensor result = constant;
  result.type = DType::Int8;
  result.quant = int8Param(range, symmetric);
  const float scale = result.quant->scale[0];
  const auto zeroPoint = static_cast<float>(result.quant->zeroPoint[0]);
  std::vector<int8_t> integers(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    integers[i] = static_cast<int8_t>(
        std::clamp(std::nearbyint(values[i] / scale) + zeroPoint, -128.0F, 127.0F));
  result.data = makeBlobOf(integers);
  return result;
}

std::vector<float> quantizationError(const Tensor& quantized, const Tensor& original) {
  const std::vector<int8_t> integers = quantized.data->values<int8_t>();
  std::vector<float> result = original.data->values<float>();
  TIGRIS_CHECK(integers.size() == result.size());
  const QuantParam& quant = *quantized.quant;
  const ChannelWalk channelOf(quantized.shape, quant.axis);
  for (size_t i = 0; i < result.size(); ++i) {
    const size_t c = channelOf(i);
    result[i] =
        static_cast<float>(static_cast<double>(integers[i] - quant.zeroPoint[c]) * quant.scale[c] -
                           static_cast<double>(result[i]));
  }
  return result;
}

} // namespace tigris
