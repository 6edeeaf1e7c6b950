// Moves a Transpose from one side of an operator to the other: the building blocks of all layout
// passes.
//
// A permutation p describes y = Transpose(x): dimension i of y is dimension p[i] of x. Example with
// s [N,H,W,C]:
//
//   y = Add(Transpose(s, [0,3,1,2]), c[C,1,1])      permuteOp() gives
//   y = Transpose(Add(s, c'[1,1,1,C]), [0,3,1,2])
#pragma once

#include "tigris/IR/Graph.h"

#include <optional>
#include <vector>

namespace tigris {

using Perm = std::vector<int64_t>;

/// NCHW -> NHWC for any rank: {0, 2, ..., rank-1, 1}; and its inverse.
Perm channelsLastPerm(size_t rank);
Perm channelsFirstPerm(size_t rank);

Perm inversePerm(const Perm& perm);
/// The permutation that applies `first`, then `second`.
Perm composePerm(const Perm& first, const Perm& second);
bool isIdentityPerm(const Perm& perm);
/// Whether only dimensions of size 1 change places, so that the bytes stay in place.
bool keepsElementOrder(const Shape& shape, const Perm& perm);

/// The permutation, if `id` is the result of a Transpose.
std::optional<Perm> transposePerm(const Graph& graph, TensorId id);

/// The same, but only if it moves elements; otherwise it is equivalent to a Reshape.
std::optional<Perm> movingPerm(const Graph& graph, TensorId id);

/// Inserts a Transpose of `source` before `user`; returns its result.
TensorId insertTransposeBefore(Graph& graph, OpId user, TensorId source, const Perm& perm);

/// Gives result `index` of `id` the dimension order before `perm`: a new tensor in that order gets
/// the name, and a Transpose by `perm` produces the old tensor for its readers.
void transposeResult(Graph& graph, OpId id, size_t index, const Perm& perm);

/// Whether element i of the result depends only on element i of each operand (with broadcasting).
bool isElementwise(OpKind kind);

/// Whether the operator computes the same on operands in the order before `perm`, after its axes
/// are renumbered. Most operators do for any permutation or none. Windows over channels-last
/// tensors do if only spatial dimensions change places.
bool isPermutable(const Graph& graph, OpId id, const Perm& perm);

/// Operand slots of a permutable operator whose dimensions correspond to the result's: all of an
/// element-wise operator, the data of the others.
std::vector<size_t> permutedSlots(const Op& op);

/// The permutation of the results for `perm` of the operands. They differ only for a reduction that
/// drops its axes, whose results have a lower rank:
///   y = ReduceMax(x, axes [2], keepdims 0),  x = Transpose(s, [0,3,1,2])
///     gives  y = Transpose(.., [0,2,1])
/// The second function is the inverse; it puts a dropped dimension next to its neighbor.
Perm resultPerm(const Graph& graph, OpId id, const Perm& perm);
Perm operandPerm(const Graph& graph, OpId id, const Perm& perm);

/// Rebuilds a permutable operator so that it reads s instead of each data operand x = Transpose(s,
/// perm). Composes with Transposes, permutes constants, and inserts the inverse Transpose
/// elsewhere; renumbers the op's axes; restores each result with a Transpose by resultPerm().
/// `perm` has the rank of the data operands; operands of lower rank are broadcast.
void permuteOp(Graph& graph, OpId id, const Perm& perm);

} // namespace tigris
