// How the quantizer sees operators: which carry values through unchanged, which have weights, and which have
// results of a known range. Internal.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Quantize/Range.h"

#include <optional>
#include <vector>

namespace tigris::quantize {

/// Float tensor that is computed or fed, not a constant.
bool isFloatActivation(const Graph& graph, TensorId id);

/// Moves or selects elements: whether it runs on integers follows from its neighbors.
bool isNeutral(const Op& op);

/// Weights make an operator worth quantizing wherever it stands; `Light` ones follow their operands, so
/// that no integer island appears in the middle of float arithmetic; `Never`: functions like Exp or Pow whose
/// results span orders of magnitude, which 256 steps cannot express.
enum class Worth : uint8_t { Always, Light, Never };
Worth worthOf(const Graph& graph, const Op& op);

/// A tensor that only a clamp reads (perhaps after moves): the clamp joins the operator before it, and
/// only its result is quantized, so that no step is spent on what it cuts off.
bool isClampedLater(const Graph& graph, TensorId id);

/// Operands whose values go into the result unchanged, so that integers mean the same on both sides; none for
/// operators that compute.
std::vector<size_t> carriedOperands(const Op& op);

/// A weight operand and the axis of its output channels.
struct WeightOperand {
  size_t index = 1;
  /// -1 where only one scale for the whole tensor is possible.
  int axis = -1;
};
/// Conv, ConvTranspose, Gemm and MatMul with constant weights.
std::optional<WeightOperand> weightOperand(const Graph& graph, const Op& op);

/// Axis of operand 0 that the weights sum over, for means per input channel; -1 where there is none.
int inputChannelAxis(const Graph& graph, const Op& op);

/// Quantization of results that the kernel fixes: Softmax 1/256 and -128, as TensorFlow Lite's int8 specification
/// has it.
std::optional<QuantParam> fixedResult(const Op& op);

} // namespace tigris::quantize
