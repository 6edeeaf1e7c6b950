// Post-training static quantization: QuantizeLinear and DequantizeLinear go into a float graph, weights
// become int8, and the passes that fold exporters' QDQ models do the rest.
//
//   PassManager(prepare-quantize).run(graph)          folds what must be folded before ranges are chosen
//   for (TensorId t : observedTensors(graph)) ...     the caller runs the float graph on samples and fills
//   Observations seen;                                one TensorStatistics per tensor
//   quantizeGraph(graph, seen, options)               the result folds like any QDQ model (tigris-norm)
//
// Which operators have an integer form is asked of qdq-fold itself, on a copy, so the two cannot disagree:
// an operator it leaves in float keeps float operands, and only its neighbors are quantized.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Quantize/Range.h"
#include "tigris/Support/Expected.h"

#include <map>

namespace tigris {

struct QuantizeOptions {
  RangeOptions range;
  /// One scale per output channel of a weight instead of one for all.
  bool perChannel = true;
  /// Biases absorb the mean error that rounding the weights causes (M. Nagel et al., "Data-Free Quantization
  /// Through Weight Equalization and Bias Correction", 2019, section 4.2, with measured input means).
  /// Needs channel sums in the observations.
  bool biasCorrection = true;
  /// Ops that stay in float: names of ops, ONNX nodes or operator kinds.
  std::vector<std::string> keepFloat;
};

/// A tensor to observe. `channelAxis` is its axis whose means bias correction wants; -1 where none does.
struct ObservedTensor {
  TensorId tensor;
  int channelAxis = -1;
};

/// Float tensors whose values decide the ranges, in execution order; model inputs are among them.
std::vector<ObservedTensor> observedTensors(const Graph& graph);

/// What can be said before anything runs: UnsupportedOp when the graph is quantized already, Usage when a
/// name of keepFloat fits no op.
Status checkQuantizable(const Graph& graph, const QuantizeOptions& options);

using Observations = std::map<TensorId, TensorStatistics>;

struct QuantizeSummary {
  /// Operators that run on integers and those that compute in float; Reshapes and the like count for neither.
  size_t integerOps = 0;
  std::vector<std::string> floatOps; ///< "name (Kind)"
  std::vector<std::string> warnings;
};

/// Quantizes an imported, channels-first float graph in place. Observations must hold every tensor of
/// observedTensors(graph). Fails as checkQuantizable does, with UnsupportedOp when no operator has an integer form,
/// and with BadValue when a tensor took no finite value.
Expected<QuantizeSummary> quantizeGraph(Graph& graph, const Observations& observations,
                                        const QuantizeOptions& options);

} // namespace tigris
