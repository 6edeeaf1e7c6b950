// Calibration statistics of a tensor: extremes, a histogram, and the mean of each channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tigris {

/// One cell of a histogram.
struct HistogramBin {
  double low = 0;
  double high = 0;
  uint64_t count = 0;
  double middle() const { return (low + high) / 2; }
};

/// Values of one tensor over all samples, collected in one pass and in constant memory.
///
/// The histogram has a fixed number of cells over [-R, R). R is a power of two; it doubles, and
/// adjacent cells merge, when a value is outside. Cells therefore do not depend on the order of the
/// samples. Zeros are counted separately: every quantization represents them exactly, and after a
/// Relu they would dominate. NaN and infinities are counted and otherwise ignored.
class TensorStatistics {
public:
  static constexpr size_t Bins = 16384;

  /// The same values give the same statistics, regardless of how they are divided into calls.
  void add(std::span<const float> values);
  /// Adds `count` values with the sum `sum` to one channel; used for bias correction only.
  void addChannel(size_t channel, double sum, uint64_t count);
  /// Adds all values of `other`, except its channel sums.
  void merge(const TensorStatistics& other);

  /// Number of finite values, including zeros.
  uint64_t count() const { return count_; }
  uint64_t zeros() const { return zeros_; }
  uint64_t notFinite() const { return notFinite_; }
  /// 0 if no value has been added.
  float min() const { return count_ == 0 ? 0 : min_; }
  float max() const { return count_ == 0 ? 0 : max_; }
  /// Nonempty cells in ascending order, without zeros, clipped to [min, max].
  std::vector<HistogramBin> histogram() const;
  /// Mean per channel; empty if addChannel was never called.
  std::vector<double> channelMeans() const;

private:
  void growTo(double magnitude);

  uint64_t count_ = 0;
  uint64_t zeros_ = 0;
  uint64_t notFinite_ = 0;
  float min_ = 0;
  float max_ = 0;
  double reach_ = 0; ///< R; 0 before the first value that is not zero
  std::vector<uint64_t> bins_;
  std::vector<double> sums_;
  std::vector<uint64_t> counts_;
};

} // namespace tigris
