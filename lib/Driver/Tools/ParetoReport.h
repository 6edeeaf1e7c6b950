// The Pareto front of plans as text and as JSON.
#pragma once

#include "tigris/Plan/Sweep/Pareto.h"

namespace tigris {

/// A line per plan.
std::string paretoText(const std::vector<ParetoPoint>& front);

/// {"plans": [{"budget_fast", "optimize", "fast_peak_bytes", ...}]}, with the field names of
/// tigris-dump.
std::string paretoJson(const std::vector<ParetoPoint>& front);

} // namespace tigris
