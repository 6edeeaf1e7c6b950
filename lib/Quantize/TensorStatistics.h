// What calibration remembers of a tensor's values: extremes, a histogram, and the mean of each channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tigris {

/// One cell of a histogram, for reading.
struct HistogramBin {
  double low = 0;
  double high = 0;
  uint64_t count = 0;
  double middle() const { return (low + high) / 2; }
};

/// Values of one tensor over all samples, in one pass and in memory that does not grow with their number.
///
/// The histogram has a fixed number of cells over [-R, R), R a power of two that doubles (neighboring cells
/// merge) when a value lies outside; its cells therefore never depend on the order of the samples. Zeros are
/// counted apart: every quantization represents them exactly, and after a Relu they would drown the rest.
/// NaN and infinities are counted and otherwise ignored.
class TensorStatistics {
public:
  static constexpr size_t Bins = 16384;

  /// Equal values give equal statistics, however they are divided into calls.
  void add(std::span<const float> values);
  /// Adds to the sum of one channel (`count` values summing to `sum`); used for bias correction only.
  void addChannel(size_t channel, double sum, uint64_t count);
  /// As if all values of `other` had been added here too. Channel sums are left alone.
  void merge(const TensorStatistics& other);

  /// Finite values seen, zeros among them.
  uint64_t count() const { return count_; }
  uint64_t zeros() const { return zeros_; }
  uint64_t notFinite() const { return notFinite_; }
  /// 0 while nothing was seen.
  float min() const { return count_ == 0 ? 0 : min_; }
  float max() const { return count_ == 0 ? 0 : max_; }
  /// Cells with values, zeros left out, ascending; clipped to [min, max].
  std::vector<HistogramBin> histogram() const;
  /// Mean per channel; empty when addChannel was never called.
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
