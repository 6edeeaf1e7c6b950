// A certificate for plans that work on rows: the minimum fast memory that each of them needs.
#pragma once

#include "tigris/IR/Graph.h"

#include <set>

namespace tigris {

/// Plans of whole and streamed stages in which every row (index of axis 1) is computed once, model
/// inputs and outputs are copied once, and nothing is spilled.
inline constexpr const char* RowClass = "whole rows made once, no spills, any order";
/// Those that also move some inputs or outputs row by row.
inline constexpr const char* PortRowClass =
    "whole rows made once, interface by rows, no spills, any order";

/// Whether the plan is of that class.
bool isRowPlan(const Plan& plan);

/// A lower bound for the fast peak of every plan of the class, in any order of ops and rows.
///
/// The graph is split into rows, with one buffer per row and one op for each row that is computed
/// or added to a global average. An op that cannot run row by row stays one op. sectionBound and
/// groupBound (Analysis/PeakBound.h) of that graph are the bound. Not counted are results of
/// Reshapes, which may share the bytes of their sources, tensors that may be in the caller's
/// buffers, alignment and the executor's bookkeeping. `byRows`: inputs and outputs without such a
/// buffer, of which each row is moved once (Analysis/RowPorts.h). nullopt for graphs of more than
/// 12,000 such ops, or with more than one index on the outermost axis. Computes at most `flows`
/// minimum cuts.
std::optional<uint64_t> rowPeakBound(const Graph& graph, IoMode io,
                                     const std::set<TensorId>& byRows, size_t flows);

} // namespace tigris
