// Collects statistics in one pass: the histogram doubles its reach on demand.
#include "tigris/Quantize/TensorStatistics.h"

#include "tigris/Support/Check.h"

#include <algorithm>
#include <cmath>

namespace tigris {

namespace {

/// The smallest power of two above |value|, within float32's range.
double reachFor(double magnitude) {
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  return std::ldexp(1.0, exponent);
}

} // namespace

void TensorStatistics::growTo(double magnitude) {
  if (bins_.empty()) {
    bins_.assign(Bins, 0);
    reach_ = reachFor(magnitude);
    return;
  }
  while (magnitude >= reach_) {
    // Twice the reach: pairs of old cells become the middle half.
    std::vector<uint64_t> wider(Bins, 0);
    for (size_t i = 0; i < Bins; ++i)
      wider[Bins / 4 + i / 2] += bins_[i];
    bins_ = std::move(wider);
    reach_ *= 2;
  }
}

void TensorStatistics::add(std::span<const float> values) {
  float low = count_ == 0 ? INFINITY : min_;
  float high = count_ == 0 ? -INFINITY : max_;
  float magnitude = 0;
  for (const float value : values)
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
      magnitude = std::max(magnitude, std::abs(value));
    }
  if (magnitude > 0)
    growTo(magnitude);
  const double scale = reach_ > 0 ? static_cast<double>(Bins) / (2 * reach_) : 0;
  for (const float value : values) {
    if (!std::isfinite(value)) {
      ++notFinite_;
      continue;
    }
    ++count_;
    if (value == 0) {
      ++zeros_;
      continue;
    }
    // Floored, so that a power of two falls into the upper cell on both sides of zero at every
    // reach.
    const double place = std::floor(static_cast<double>(value) * scale) + Bins / 2.0;
    ++bins_[static_cast<size_t>(std::clamp(place, 0.0, Bins - 1.0))];
  }
  if (count_ > 0) {
    min_ = low;
    max_ = high;
  }
}

void TensorStatistics::addChannel(size_t channel, double sum, uint64_t count) {
  if (sums_.size() <= channel) {
    sums_.resize(channel + 1, 0);
    counts_.resize(channel + 1, 0);
  }
  sums_[channel] += sum;
  counts_[channel] += count;
}

void TensorStatistics::merge(const TensorStatistics& other) {
  notFinite_ += other.notFinite_;
  if (other.count_ == 0)
    return;
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = count_ == 0 ? other.max_ : std::max(max_, other.max_);
  count_ += other.count_;
  zeros_ += other.zeros_;
  if (other.bins_.empty())
    return;
  if (bins_.empty()) {
    bins_ = other.bins_;
    reach_ = other.reach_;
    return;
  }
  TensorStatistics wider = other;
  growTo(std::nextafter(other.reach_, 0.0));
  wider.growTo(std::nextafter(reach_, 0.0));
  TIGRIS_CHECK(wider.reach_ == reach_);
  for (size_t i = 0; i < Bins; ++i)
    bins_[i] += wider.bins_[i];
}

std::vector<HistogramBin> TensorStatistics::histogram() const {
  std::vector<HistogramBin> result;
  const double width = 2 * reach_ / static_cast<double>(Bins);
  for (size_t i = 0; i < bins_.size(); ++i) {
    if (bins_[i] == 0)
      continue;
    const double low = (static_cast<double>(i) - Bins / 2.0) * width;
    result.push_back({std::max<double>(low, min_), std::min<double>(low + width, max_), bins_[i]});
  }
  return result;
}

std::vector<double> TensorStatistics::channelMeans() const {
  std::vector<double> means(sums_.size(), 0);
  for (size_t i = 0; i < sums_.size(); ++i)
    if (counts_[i] > 0)
      means[i] = sums_[i] / static_cast<double>(counts_[i]);
  return means;
}

} // namespace tigris
