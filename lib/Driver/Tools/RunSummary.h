// What tigris-run reports about a run: outputs, memory, work and comparisons.
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

/// One line: "output 'y' float32 [1, 10], largest [7] 8.25, [3] 1.5, ...".
std::string describeOutput(const PortView& port, const NpyArray& array);

/// Lines on memory, flash and work. `seconds` is the time of the fastest run.
std::string textSummary(const Report& report, const PlanRunner& runner, double seconds);

/// The report of the plan with measurements and comparisons; `profile` may be null.
std::string jsonSummary(const Report& report, const PlanRunner& runner, double seconds,
                        const std::vector<ExpectedResult>& results, const Profile* profile);

} // namespace tigris
