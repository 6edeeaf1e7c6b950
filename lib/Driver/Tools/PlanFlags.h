// The options of tools that plan, the planning itself, and its figures as text.
#pragma once

#include "tigris/Driver/Tools/PassFlags.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/Sweep/Sizing.h"

namespace tigris {

struct PlanFlags {
  std::vector<uint64_t> memory;
  std::optional<uint64_t> flash;
  std::optional<uint64_t> reserve;
  bool minFast = false;
  bool certificates = false;
  bool inputRows = false;
  bool outputRows = false;
  std::string planner = "optimal";
  std::string optimize = "traffic";
  std::string target = "generic";
  std::string costs;
  std::string io;
  int64_t macsPerSlowByte = MacsPerSlowByte;
  /// Empty: any, or, for the least fast memory, none if that fits.
  std::string recompute;
};

/// -m ... --optimize.
void declarePlanning(OptionTable& table, PlanFlags& flags);

/// Fails with DiagId::Usage when -m is not given once or twice.
Expected<PlanOptions> planOptions(const PlanFlags& flags);

/// Plans a normalized graph between what plugins have hooked in before and after, keeps --reserve free, and checks
/// the result. False when a plugin failed: the errors are in the context's diagnostics then.
Expected<bool> planInto(ToolContext& context, const PlanFlags& flags, const PassFlags& passes,
                        const PassRegistry& registry, Graph& graph);

/// A few lines with the figures of a planned graph.
std::string describePlan(const Graph& graph);

/// A line per budget.
std::string sizingText(const std::vector<SizingRow>& rows);

/// "12.3".
std::string oneDigit(double value);

} // namespace tigris
