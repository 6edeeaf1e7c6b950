// Ops of a plan that compute the result of another op again, so that it need not be held.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// An op of any kind has this attribute in the form `planned` if it is a repeat. The value is the
/// name of the original: an op that is not a repeat and computes the same. Operands have the same
/// values as the original's: they are the same tensors, or repeats have made them.
inline constexpr std::string_view RepeatKey = "again";

inline bool isRepeat(const Op& op) { return op.attrs.has(RepeatKey); }

bool hasRepeats(const Graph& graph);

/// The op that a repeat repeats; invalid if the graph has none of this name.
OpId originalOf(const Graph& graph, const Op& repeat);

/// The tensor that has the same value and is no result of a repeat: the original's, or the tensor
/// itself.
TensorId originalOf(const Graph& graph, TensorId tensor);

/// Why an op with the attribute is not a repeat, as a clause about it; empty if it is one.
std::string repeatFault(const Graph& graph, const Op& repeat);

} // namespace tigris
