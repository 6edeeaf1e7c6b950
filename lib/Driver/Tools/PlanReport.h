// The figures of plans as text.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Plan/Sweep/Sizing.h"

namespace tigris {

/// A few lines with the figures of a planned graph.
std::string describePlan(const Graph& graph);

/// A line per budget.
std::string sizingText(const std::vector<SizingRow>& rows);

/// "12.3".
std::string oneDigit(double value);

} // namespace tigris
