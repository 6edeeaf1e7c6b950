// What the ops of a plan took, as samples for the planner's costs.
#pragma once

#include "tigris/Inspect/PlanFile.h"
#include "tigris/Target/CostFile.h"

namespace tigris {

/// Calls of the op's kernel that wrote `outputBytes` altogether and took `cost`.
CostSample costSample(const PlanFile& file, size_t op, double calls, double outputBytes,
                      double cost);

/// Lines "OP CALLS OUTPUT_BYTES COST", OP being an index: what a firmware has measured with the
/// profile hook. Lines that begin with a letter are left to the firmware. DiagId::BadValue for
/// others; `name` is the file's.
Expected<std::vector<CostSample>> parseMeasured(std::string_view text, const std::string& name,
                                                const PlanFile& file);

} // namespace tigris
