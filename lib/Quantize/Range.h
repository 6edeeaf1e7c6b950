// Chooses the interval that a tensor's 256 integers cover, from the observed values.
#pragma once

#include "tigris/IR/Tensor.h"
#include "tigris/Quantize/TensorStatistics.h"

#include <optional>
#include <string_view>

namespace tigris {

/// The method of choosing the interval. Every interval includes zero and is within [min, max].
enum class RangeMethod : uint8_t {
  /// All observed values.
  MinMax,
  /// All but the outermost (100 - percentile) / 2 percent of the values at each end.
  Percentile,
  /// Smallest Kullback-Leibler divergence between the distribution and its quantized form (S.
  /// Migacz, "8-bit inference with TensorRT", GTC 2017, extended to asymmetric intervals).
  Entropy,
  /// Smallest mean squared error: rounding (step^2 / 12 per value) against clipping.
  MeanSquaredError,
};
std::string_view rangeMethodName(RangeMethod method);
std::optional<RangeMethod> parseRangeMethod(std::string_view name);

struct ValueRange {
  double low = 0;
  double high = 0;
};

struct RangeOptions {
  RangeMethod method = RangeMethod::MinMax;
  /// For RangeMethod::Percentile: above 50, at most 100.
  double percentile = 99.999;
  /// Zero point 0: the interval is extended to [-m, m].
  bool symmetric = false;
};

ValueRange chooseRange(const TensorStatistics& statistics, const RangeOptions& options);

/// int8 parameters with real = (q - zero_point) * scale. Asymmetric: scale = (high - low) / 255,
/// and the zero point is rounded so that a real zero is an integer (Jacob et al., "Quantization and
/// Training of Neural Networks", 2018, section 3). Symmetric: scale = max(|low|, |high|) / 127,
/// zero point 0. An empty interval has scale 1.
QuantParam int8Param(const ValueRange& range, bool symmetric);

} // namespace tigris
