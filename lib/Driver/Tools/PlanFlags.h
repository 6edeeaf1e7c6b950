// The options of tools that plan.
#pragma once

#include "tigris/Driver/Tools/PassFlags.h"

namespace tigris {

struct PlanFlags {
  std::vector<uint64_t> memory;
  std::optional<uint64_t> flash;
  std::optional<uint64_t> reserve;
  std::optional<uint64_t> scratch;
  bool minFast = false;
  bool certificates = false;
  bool inputRows = false;
  bool outputRows = false;
  std::string planner = "optimal";
  std::string optimize = "traffic";
  std::string target = "generic";
  std::string costs;
  std::optional<uint64_t> align;
  std::string io;
  std::string weightMemory = "map";
  std::string compress = "none";
  int64_t macsPerSlowByte = MacsPerSlowByte;
  int64_t slowdown = 5;
  /// Empty: any amount; with the least fast memory, none if that fits.
  std::string recompute;
};

/// -m ... --optimize.
void declarePlanning(OptionTable& table, PlanFlags& flags);

/// Converts the flags, on top of the context's options, and reads the file of --costs. Fails with
/// DiagId::Usage if -m is not given once or twice, if the file cannot be read or parsed, and as
/// passRunOptions does.
Expected<CompileOptions> planCompileOptions(ToolContext& context, const PlanFlags& flags,
                                            const PassFlags& passFlags);

} // namespace tigris
