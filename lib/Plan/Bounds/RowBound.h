// A certificate for plans that work on rows: the minimum fast memory that each of them needs.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Plans of whole and streamed stages in which every row (index of axis 1) is computed once, model
/// inputs and outputs are copied once, and nothing is spilled.
inline constexpr const char* RowClass = "whole rows made once, no spills, any order";

/// Whether the plan is of that class.
bool isRowPlan(const Plan& plan);

/// A lower bound for the fast peak of every plan of the class, in any order of ops and rows.
///
/// The graph is split into rows, with one buffer per row and one op for each row that is computed
/// or added to a global average. An op that cannot run row by row stays one op. sectionBound and
/// groupBound (Analysis/PeakBound.h) of that graph are the bound. Not counted are results of
/// Reshapes, which may share the bytes of their sources, tensors that may be in the caller's
/// buffers, alignment and the executor's bookkeeping. nullopt for graphs of more than 12,000 such
/// ops, or with more than one index on the outermost axis. Computes at most `flows` minimum cuts.
std::optional<uint64_t> rowPeakBound(const Graph& graph, IoMode io, size_t flows = 600);

} // namespace tigris
