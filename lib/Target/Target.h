// The properties of a processor that the planner uses.
#pragma once

#include "tigris/Support/Expected.h"
#include "tigris/Target/KernelCosts.h"

#include <span>
#include <string>
#include <vector>

namespace tigris {

struct Target {
  std::string name;
  /// In bytes, a power of two; see Targets.def.
  uint64_t align = 1;
  KernelLibrary kernels = KernelLibrary::Reference;
  KernelCosts costs;
  std::string help;
};

/// All targets; the first is the default.
std::span<const Target> allTargets();

/// Their names, in this order.
std::vector<std::string> targetNames();

/// DiagId::Usage with the nearest name if there is no such target.
Expected<Target> findTarget(std::string_view name);

} // namespace tigris
