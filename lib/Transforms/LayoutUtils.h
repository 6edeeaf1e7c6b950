// Moving a Transpose from one side of an operator to the other: what all layout passes are made of.
//
// A permutation p describes y = Transpose(x): dimension i of y is dimension p[i] of x.
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
/// The single permutation of applying `first`, then `second`.
Perm composePerm(const Perm& first, const Perm& second);
bool isIdentityPerm(const Perm& perm);
/// True when only dimensions of size 1 change places, so the bytes stay where they are.
bool keepsElementOrder(const Shape& shape, const Perm& perm);

/// The permutation when `id` is the result of a Transpose.
std::optional<Perm> transposePerm(const Graph& graph, TensorId id);

/// The same, but only when it moves elements: otherwise it is no more than a Reshape.
std::optional<Perm> movingPerm(const Graph& graph, TensorId id);

/// Appends (after `producer`) or prepends (before `user`) a Transpose of `source`; returns its new result.
TensorId insertTransposeBefore(Graph& graph, OpId user, TensorId source, const Perm& perm);

/// Gives result `index` of `id` the dimension order that `perm` leads away from: a new tensor in that order takes
/// over the name, and a Transpose by `perm` produces the old one for its readers.
void transposeResult(Graph& graph, OpId id, size_t index, const Perm& perm);

/// Element i of the result depends on element i of each operand (broadcast) only.
bool isElementwise(OpKind kind);

/// True when the operator computes the same in any dimension order once its axes are renumbered.
bool isPermutable(const Graph& graph, OpId id);

/// Operand slots of a permutable operator whose dimensions line up with the result's: all of an element-wise
/// one, the data of the others.
std::vector<size_t> permutedSlots(const Op& op);

/// Only a reduction that drops its axes has operands and results of different rank, and so two permutations. The
/// one of the results that belongs to `perm` of the operands:
///   y = ReduceMax(x, axes [2], keepdims 0),  x = Transpose(s, [0,3,1,2])  gives  y = Transpose(.., [0,2,1]);
/// and one of the operands that belongs to `perm` of the results, with a dropped dimension next to its neighbor.
Perm resultPerm(const Graph& graph, OpId id, const Perm& perm);
Perm operandPerm(const Graph& graph, OpId id, const Perm& perm);

/// Rebuilds a permutable operator so that it reads s instead of each data operand x = Transpose(s, perm):
/// composes with Transposes, permutes constants, inserts the inverse Transpose elsewhere; renumbers its
/// axes; and restores each result with a Transpose by resultPerm(). `perm` has the rank of the data operands;
/// operands of lower rank are broadcast.
void permuteOp(Graph& graph, OpId id, const Perm& perm);

} // namespace tigris
