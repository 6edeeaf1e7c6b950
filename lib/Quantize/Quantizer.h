// Post-training static quantization: inserts QuantizeLinear and DequantizeLinear into a float graph
// and converts its weights to int8. The passes that fold exporters' QDQ models do the rest.
//
//   PassManager(prepare-quantize).run(graph)       folds what must be folded before calibration
//   for (TensorId t : observedTensors(graph)) ...  the caller runs the float graph on samples and
//   Observations seen;                             fills one TensorStatistics per tensor
//   quantizeGraph(graph, seen, options)            the result folds like any QDQ model
//
// qdq-fold itself, run on a copy, decides which operators have an integer form, so the two cannot
// disagree. An operator that it leaves in float keeps float operands, and only its neighbors are
// quantized.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Quantize/Range.h"
#include "tigris/Support/Expected.h"

#include <map>

namespace tigris {

struct QuantizeOptions {
  RangeOptions range;
  /// One scale per output channel of a weight instead of one per tensor.
  bool perChannel = true;
  /// Biases compensate the mean error that rounding the weights causes (M. Nagel et al., "Data-Free
  /// Quantization Through Weight Equalization and Bias Correction", 2019, section 4.2, with
  /// measured input means). Requires channel sums in the observations.
  bool biasCorrection = true;
  /// Ops that stay in float: names of ops, of ONNX nodes, or operator kinds.
  std::vector<std::string> keepFloat;
};

/// A tensor to observe. `channelAxis` is the axis for which bias correction needs means; -1 if
/// none.
struct ObservedTensor {
  TensorId tensor;
  int channelAxis = -1;
};

/// Float tensors whose values determine the ranges, in execution order, including model inputs.
std::vector<ObservedTensor> observedTensors(const Graph& graph);

/// Checks that need no samples: UnsupportedOp if the graph is quantized already, Usage if a name in
/// keepFloat matches no op.
Status checkQuantizable(const Graph& graph, const QuantizeOptions& options);

using Observations = std::map<TensorId, TensorStatistics>;

struct QuantizeSummary {
  /// Number of operators that run on integers and in float; Reshapes and similar ops count for
  /// neither.
  size_t integerOps = 0;
  std::vector<std::string> floatOps; ///< "name (Kind)"
  std::vector<std::string> warnings;
};

/// Quantizes an imported, channels-first float graph in place. Observations must contain every
/// tensor of observedTensors(graph). Fails like checkQuantizable, with UnsupportedOp if no operator
/// has an integer form, and with BadValue if a tensor had no finite value.
Expected<QuantizeSummary> quantizeGraph(Graph& graph, const Observations& observations,
                                        const QuantizeOptions& options);

} // namespace tigris
