// What the planner knows about the processor it plans for.
#pragma once

#include "tigris/Support/Expected.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace tigris {

struct Target {
  std::string_view name;
  /// Bytes, a power of two; see Targets.def.
  uint64_t align = 1;
  std::string_view help;
};

/// All targets; the first is the default.
std::span<const Target> allTargets();

/// DiagId::Usage with the nearest name when there is no such target.
Expected<Target> findTarget(std::string_view name);

} // namespace tigris
