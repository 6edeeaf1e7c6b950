// Calibration: collects, over samples, the statistics of a float graph from which ranges are
// chosen.
//
//   Calibration calibration(graph, options.biasCorrection);
//   for each sample: run the graph with calibration.tensors() as more outputs, then for each i
//     calibration.add(i, values, storedShape, perm);
//   quantizeGraph(graph, calibration.observations(), options);
#pragma once

#include "tigris/Quantize/Quantizer.h"

#include <span>

namespace tigris {

class Calibration {
public:
  /// `channelMeans`: also collects the mean of each channel of the tensors that bias correction
  /// uses.
  Calibration(const Graph& graph, bool channelMeans);

  /// The tensors to observe: those of observedTensors(graph).
  const std::vector<TensorId>& tensors() const { return tensors_; }

  /// Adds the values that a run computed for tensors()[index], in stored order: dimension i of
  /// `storedShape` is dimension perm[i] of the graph's tensor; an empty `perm` is the identity.
  void add(size_t index, std::span<const float> values, const Shape& storedShape,
           const std::vector<int64_t>& perm);

  const Observations& observations() const { return observations_; }

private:
  std::vector<TensorId> tensors_;
  /// Per tensor: the axis whose means are collected, or -1.
  std::vector<int> channelAxes_;
  Observations observations_;
};

/// How well a quantized output agrees with the float output over all samples.
class OutputAgreement {
public:
  /// Adds the outputs of one sample; both must have the same size.
  void add(std::span<const double> reference, std::span<const double> quantized);

  /// Whether all elements were equal.
  bool isExact() const { return noise_ == 0; }
  /// Signal-to-quantization-noise ratio.
  double decibels() const;
  /// Number of samples whose largest element is the same in both outputs. A tie in the quantized
  /// output counts as the same.
  size_t sameLargest() const { return sameLargest_; }

private:
  double signal_ = 0;
  double noise_ = 0;
  size_t sameLargest_ = 0;
};

} // namespace tigris
