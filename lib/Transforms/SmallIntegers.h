// Represents the 8- and 16-bit integers of a graph with one signed type each, and with a scale and
// zero point on every tensor.
//
// The kernels support int8 and int16. Unsigned numbers are stored 128 or 32,768 lower everywhere:
// in activations, in constants and at ports. Data movement keeps parameters, so all tensors that it
// connects share them. Integers that are not quantized real numbers get scale 1 and the zero point
// that represents their 0, so that their real values are the integers.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

#include <map>

namespace tigris {

/// int8, uint8, int16 and uint16.
bool isSmallInteger(DType type);

/// The offset between an unsigned type and the signed type that stores it; 0 for other types.
int32_t signedOffset(DType type);

/// The type that stores numbers of `type`: int8 for uint8 and 4-bit types, int16 for uint16.
DType storedType(DType type);

/// Converts a constant to storedType().
void storeSigned(Tensor& constant);

/// Tensors with parameters, and their original types.
using OriginalTypes = std::map<TensorId, DType>;

/// Sets the parameters of a tensor (for the stored numbers), its stored type and its stored data.
void giveParam(Graph& graph, TensorId id, const QuantParam& quant, OriginalTypes& given);

/// Sets the parameters of all small integers that have none: those of the tensors with which
/// movement connects them, otherwise scale 1. Adjusts casts and integer arguments (fill values,
/// bounds). Operators that compute on the integers, and movement between tensors with different
/// parameters, are errors. `given`: tensors whose parameters a QuantizeLinear or DequantizeLinear
/// has set.
Status annotateSmallIntegers(Graph& graph, OriginalTypes& given);

} // namespace tigris
