// Queries of the quantization passes: where a value is dequantized and where it is quantized again.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Whether the tensor is int8 or int16 with a single scale and zero point.
bool isPerTensorInteger(const Graph& graph, TensorId id);

/// X if `id` is the result of DequantizeLinear(X); invalid otherwise.
TensorId dequantizedSource(const Graph& graph, TensorId id);

/// The QuantizeLinear that is the only reader of `id`, if it quantizes to int8 or int16 with one
/// scale; invalid otherwise. Other readers, or a model output, would still need the real value.
OpId soleQuantizer(const Graph& graph, TensorId id);

/// Whether the op moves elements without arithmetic, so that it commutes exactly with quantization.
/// dataOperands() returns its data operands. MaxPool is included because quantization is monotone.
bool isDataMovement(const Op& op);

/// max, min and clamps: quantizing their operands instead of their result gives the same integers,
/// because quantization is monotone and the kernels clamp to the quantized bounds.
bool isMonotone(const Op& op);

/// Functions of one element: a 256-entry table for int8, computed for int16.
bool isUnaryFunction(OpKind kind);

/// Slots of the operands that do not become attributes.
std::vector<size_t> runtimeOperands(const Op& op);

/// The slots among them whose elements reach the result: not a condition, not indices.
std::vector<size_t> dataOperands(const Op& op);

/// A new tensor with the shape of `real` and elements of `type` quantized by `quant`.
TensorId addQuantizedLike(Graph& graph, TensorId real, DType type, const QuantParam& quant);

/// Erases `id` if nothing reads its results and, recursively, the ops that fed only it.
void eraseIfDead(Graph& graph, OpId id);

/// Renames stored tensors after an interface rewrite has removed the old input tensor: they take
/// the port's name.
void nameStoredInputs(Graph& graph);

} // namespace tigris
