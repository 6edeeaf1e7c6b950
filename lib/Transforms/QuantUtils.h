// Questions the quantization passes ask of a graph: where a value was dequantized, where it is quantized again.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// int8 or int16 tensor with one scale and zero point for all of it.
bool isPerTensorInteger(const Graph& graph, TensorId id);

/// The quantized tensor behind a real one: X when `id` is the result of DequantizeLinear(X); invalid otherwise.
TensorId dequantizedSource(const Graph& graph, TensorId id);

/// The QuantizeLinear that is the only reader of `id`, when it quantizes to int8 or int16 with one scale; invalid
/// otherwise (other readers or a model output would still need the real value).
OpId soleQuantizer(const Graph& graph, TensorId id);

/// Moves elements without computing: commutes exactly with quantization. dataOperands() says which operands
/// carry data. MaxPool counts, because quantization is monotone.
bool isDataMovement(const Op& op);

/// max, min and clamps: quantizing their operands instead of their result gives the same integers, because
/// quantization is monotone and the kernels clamp to the quantized bounds.
bool isMonotone(const Op& op);

/// Functions of one element: int8 runs them through a 256-entry table, int16 computes them.
bool isUnaryFunction(OpKind kind);

/// Operand slots of a data-movement or monotone op that carry data.
std::vector<size_t> dataOperands(const Op& op);

/// New tensor like `real` (shape) but holding `type` elements quantized by `quant`.
TensorId addQuantizedLike(Graph& graph, TensorId real, DType type, const QuantParam& quant);

/// Erases `id` and, in turn, every op that only fed it, as long as nothing reads their results.
void eraseIfDead(Graph& graph, OpId id);

/// Once an interface rewrite has dropped the old tensor of an input, the stored one takes the port's name.
void nameStoredInputs(Graph& graph);

} // namespace tigris
