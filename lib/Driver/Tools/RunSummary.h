// What tigris-run says of a run: its outputs, the memory and work that it took, and comparisons.
#pragma once

#include "tigris/Driver/Host/Compare.h"
#include "tigris/Driver/Host/PlanRunner.h"
#include "tigris/Driver/Host/PortData.h"
#include "tigris/Driver/Host/Profile.h"
#include "tigris/Inspect/Report.h"

namespace tigris {

/// An output that was compared with --expect.
struct ExpectedResult {
  std::string name;
  Comparison comparison;
};

/// "output 'y' float32 [1, 10], largest [7] 8.25, [3] 1.5, ..." as a line.
std::string describeOutput(const PortView& port, const NpyArray& array);

/// Lines on memory, flash and work. `seconds` is the time of the fastest run.
std::string textSummary(const Report& report, const PlanRunner& runner, double seconds);

/// The report of the plan with what was measured and compared; `profile` may be null.
std::string jsonSummary(const Report& report, const PlanRunner& runner, double seconds,
                        const std::vector<ExpectedResult>& results, const Profile* profile);

} // namespace tigris
