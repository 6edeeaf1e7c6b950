// Results that take the place of an operand.
//
// A kernel works in place if it reads what it needs of an element, or of its line, before it writes
// there. Its result may then begin exactly where an operand begins that nothing reads afterward.
// Both have elements of one size and as many of them. A result that overlaps its operand in any
// other way would overwrite elements that are still to be read.
#pragma once

#include "tigris/Analysis/Lifetime.h"

#include <functional>

namespace tigris {

/// Whether the kernels of the op, in every backend, can write its result over operand `index`:
/// element by element, with one element per element, or line by line (softmax, layer
/// normalization). The table of opcodes (tigris_opcodes.def) grants the same to the op's opcodes.
bool mayOverwrite(const Graph& graph, const Op& op, size_t index);

/// Whether the bytes of an operand that dies may become those of a result.
using MayJoin = std::function<bool(const LiveBuffer& operand, const LiveBuffer& result)>;

/// Joins the buffer of each result that can overwrite an operand at its last step with the buffer
/// of that operand. Step k is `ops[k]`; `bufferOf` has the index of the buffer of each root.
void joinInPlace(const Graph& graph, std::span<const OpId> ops, const AliasSets& aliases,
                 const std::map<TensorId, size_t>& bufferOf, const MayJoin& mayJoin,
                 std::vector<LiveBuffer>& buffers);

/// computeLifetimes() with results in place of operands. At no step are more bytes alive.
std::vector<LiveBuffer> computeLifetimesInPlace(const Graph& graph, std::span<const OpId> order,
                                                const AliasSets& aliases, IoMode io);

} // namespace tigris
