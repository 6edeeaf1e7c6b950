// How often kernels read the elements of their operands.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// How often the kernel of the op reads each element of an operand (index `input`), on average and
/// rounded down, at least once: the multiplications per element of convolutions, products and
/// recurrent layers, the windows per element of poolings, three passes of normalizations. An
/// estimate; kernels that compute several results at a time read less often.
uint64_t operandReads(const Graph& graph, const Op& op, size_t input);

/// Whether the kernel reads each element of its operands once and writes each element of its result
/// once, whatever their sizes. In slow memory, such an op moves no more bytes than copies would:
/// movements, reductions and ops that select or replace elements.
bool worksInOnePass(OpKind kind);

/// How often the kernel reads back the elements of its results: recurrent layers read the state of
/// the previous step; 0 for all other ops.
uint64_t resultReads(const Graph& graph, const Op& op);

} // namespace tigris
