// 8- and 16-bit integers of a graph: one signed type each, and a scale and zero point on every tensor.
//
// Kernels know int8 and int16. Unsigned numbers are stored 128 or 32,768 lower, wherever they appear: in
// activations, in constants, behind the ports. What only moves numbers keeps their parameters, so all tensors that
// movement connects share them. Integers that are no quantized reals get scale 1 and the zero point that stands for
// their 0: their real values are their numbers.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

#include <map>

namespace tigris {

/// int8, uint8, int16 and uint16.
bool isSmallInteger(DType type);

/// By how much numbers of an unsigned type are lower in the signed one that stores them; 0 for others.
int32_t signedOffset(DType type);

/// The type that stores numbers of `type`: int8 for uint8 and 4-bit types, int16 for uint16.
DType storedType(DType type);

/// The numbers of a constant as storedType() holds them.
void storeSigned(Tensor& constant);

/// Tensors that have got parameters, and their types before.
using OriginalTypes = std::map<TensorId, DType>;

/// Gives a tensor its parameters (for the stored numbers), and its stored type and numbers.
void giveParam(Graph& graph, TensorId id, const QuantParam& quant, OriginalTypes& given);

/// Gives parameters to all small integers that have none: those of what movement connects them with, otherwise
/// scale 1. Casts and integer arguments (fill values, bounds) follow. An operator that computes on the
/// integers is refused, and movement between tensors of different parameters.
/// `given`: what has got parameters already because a QuantizeLinear or DequantizeLinear states them.
Status annotateSmallIntegers(Graph& graph, OriginalTypes& given);

} // namespace tigris
