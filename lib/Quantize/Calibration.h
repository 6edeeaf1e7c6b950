// Calibration: what a float graph computes on samples becomes the observations that ranges are
// chosen from.
//
//   Calibration calibration(graph, options.biasCorrection);
//   for each sample: run the graph with calibration.tensors() as further results, and for each of
//   them
//     calibration.add(i, values, storedShape, perm);
//   quantizeGraph(graph, calibration.observations(), options);
#pragma once

#include "tigris/Quantize/Quantizer.h"

#include <span>

namespace tigris {

class Calibration {
public:
  /// `channelMeans`: also of each channel, where bias correction wants it.
  Calibration(const Graph& graph, bool channelMeans);

  /// What to observe: observedTensors(graph).
  const std::vector<TensorId>& tensors() const { return tensors_; }

  /// Adds what a run gave for tensors()[index], in the order it is stored in: dimension i of
  /// `storedShape` is dimension perm[i] of the graph's tensor; an empty `perm` is the same order.
  void add(size_t index, std::span<const float> values, const Shape& storedShape,
           const std::vector<int64_t>& perm);

  const Observations& observations() const { return observations_; }

private:
  std::vector<TensorId> tensors_;
  /// Per tensor the axis whose means are wanted, -1 where none is.
  std::vector<int> channelAxes_;
  Observations observations_;
};

/// How well one quantized output agrees with the float one, over samples.
class OutputAgreement {
public:
  /// Outputs of one sample, of one size.
  void add(std::span<const double> reference, std::span<const double> quantized);

  /// True when every element was the same.
  bool isExact() const { return noise_ == 0; }
  /// Signal to quantization noise.
  double decibels() const;
  /// Samples whose largest element is the same; a tie in the quantized output counts.
  size_t sameLargest() const { return sameLargest_; }

private:
  double signal_ = 0;
  double noise_ = 0;
  size_t sameLargest_ = 0;
};

} // namespace tigris
