// Measured costs of a plan's ops, as samples for the planner's cost model.
#pragma once

#include "tigris/Inspect/PlanFile.h"
#include "tigris/Target/CostFile.h"

namespace tigris {

/// A sample for `calls` calls of the op's kernel that wrote `outputBytes` bytes and took `cost` in
/// total.
CostSample costSample(const PlanFile& file, size_t op, double calls, double outputBytes,
                      double cost);

/// Parses the measurements that firmware made with the profile hook: lines "OP CALLS OUTPUT_BYTES
/// COST", where OP is an index. Lines that begin with a letter are free text of the firmware and
/// skipped. DiagId::BadValue for any other line; `name` is the name of the file.
Expected<std::vector<CostSample>> parseMeasured(std::string_view text, const std::string& name,
                                                const PlanFile& file);

} // namespace tigris
