// A certificate for plans that work on rows: the least fast memory that any of them needs.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Plans of whole and streamed stages in which every row (index of axis 1) is made once, model
/// inputs and outputs are copied once, and nothing is spilled.
inline constexpr const char* RowClass = "whole rows made once, no spills, any order";

/// True for a plan of that class.
bool isRowPlan(const Plan& plan);

/// No plan of the class has a lower fast peak, whatever its order of ops and rows.
///
/// The graph is taken apart into rows: one op per row that is made (of ops that cannot run row by
/// row, one for all) or added to a global average, one buffer per row. What sectionBound and
/// groupBound (Analysis/PeakBound.h) say of that graph is the bound. Results of Reshapes, which may
/// lie where their sources lie, and what may lie in the caller's buffers count nothing; nor do
/// alignment and the executor's state. nullopt for graphs of more than 12,000 rows, or with more
/// than one index on the outermost axis. `flows` minimum cuts at most.
std::optional<uint64_t> rowPeakBound(const Graph& graph, IoMode io, size_t flows = 600);

} // namespace tigris
