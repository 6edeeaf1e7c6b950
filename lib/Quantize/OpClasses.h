// Classes of operators for the quantizer: those that carry values through unchanged, those with
// weights, and those with a fixed range of results. Internal.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Quantize/Range.h"

#include <optional>
#include <vector>

namespace tigris::quantize {

/// Whether the tensor is a float tensor that is not a constant: a model input or a result.
bool isFloatActivation(const Graph& graph, TensorId id);

/// Whether the op moves or selects elements, so that it runs on integers if its neighbors do.
bool isNeutral(const Op& op);

/// Whether quantizing an operator pays off. Always: it has weights. Light: only if its operands are
/// quantized, to avoid integer islands in float arithmetic. Never: functions like Exp or Pow, whose
/// results span orders of magnitude that 256 steps cannot represent.
enum class Worth : uint8_t { Always, Light, Never };
Worth worthOf(const Graph& graph, const Op& op);

/// Whether the only reader of the tensor, possibly after moves, is a clamp. The clamp is fused into
/// the operator before it, and only its result is quantized, so that no step covers values it
/// removes.
bool isClampedLater(const Graph& graph, TensorId id);

/// Operands whose values go to the result unchanged, so that both sides need the same quantization;
/// empty for operators that compute.
std::vector<size_t> carriedOperands(const Op& op);

/// A weight operand and the axis of its output channels.
struct WeightOperand {
  size_t index = 1;
  /// -1 if only a single scale for the whole tensor is possible.
  int axis = -1;
};
/// Conv, ConvTranspose, Gemm and MatMul with constant weights.
std::optional<WeightOperand> weightOperand(const Graph& graph, const Op& op);

/// The axis of operand 0 over which the weights sum, for means per input channel; -1 if there is
/// none.
int inputChannelAxis(const Graph& graph, const Op& op);

/// The quantization that the kernel fixes for its result: Softmax has 1/256 and -128, as specified
/// for TensorFlow Lite's int8 kernels.
std::optional<QuantParam> fixedResult(const Op& op);

} // namespace tigris::quantize
