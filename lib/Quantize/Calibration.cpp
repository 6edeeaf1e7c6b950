// Accumulates sums, so that the order of samples does not matter.
#include "tigris/Quantize/Calibration.h"

#include <algorithm>
#include <cmath>

namespace tigris {

namespace {

/// Sums the values of each channel of a stored tensor. The stored channel axis follows from `perm`.
void addChannels(TensorStatistics& statistics, std::span<const float> values,
                 const Shape& storedShape, const std::vector<int64_t>& perm, int channelAxis) {
  const auto moved = std::find(perm.begin(), perm.end(), channelAxis);
  const auto axis = static_cast<size_t>(moved == perm.end() ? channelAxis : moved - perm.begin());
  const auto channels = static_cast<size_t>(storedShape[axis]);
  size_t inner = 1;
  for (size_t i = axis + 1; i < storedShape.rank(); ++i)
    inner *= static_cast<size_t>(storedShape[i]);
  std::vector<double> sums(channels, 0);
  for (size_t i = 0; i < values.size(); ++i)
    sums[i / inner % channels] += static_cast<double>(values[i]);
  for (size_t c = 0; c < channels; ++c)
    statistics.addChannel(c, sums[c], values.size() / channels);
}

size_t largestOf(std::span<const double> values) {
  return static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

} // namespace

Calibration::Calibration(const Graph& graph, bool channelMeans) {
  for (const ObservedTensor& observed : observedTensors(graph)) {
    tensors_.push_back(observed.tensor);
    channelAxes_.push_back(channelMeans ? observed.channelAxis : -1);
  }
}

void Calibration::add(size_t index, std::span<const float> values, const Shape& storedShape,
                      const std::vector<int64_t>& perm) {
  TensorStatistics& statistics = observations_[tensors_.at(index)];
  statistics.add(values);
  if (const int axis = channelAxes_.at(index); axis >= 0)
    addChannels(statistics, values, storedShape, perm, axis);
}

void OutputAgreement::add(std::span<const double> reference, std::span<const double> quantized) {
  TIGRIS_CHECK(reference.size() == quantized.size());
  for (size_t i = 0; i < reference.size(); ++i) {
    const double error = reference[i] - quantized[i];
    signal_ += reference[i] * reference[i];
    noise_ += error * error;
  }
  // Several int8 outputs may be equally large. The sample then counts if the largest float output
  // is among them.
  if (!reference.empty() && quantized[largestOf(reference)] >= quantized[largestOf(quantized)])
    ++sameLargest_;
}

double OutputAgreement::decibels() const { return 10 * std::log10(signal_ / noise_); }

} // namespace tigris
