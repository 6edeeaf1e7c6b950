// What the planner knows about the processor it plans for.
#pragma once

#include "tigris/Support/Expected.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace tigris {

/// Whose kernels run on the target. Plans leave room for their scratch (Target/KernelScratch.h).
enum class KernelLibrary : uint8_t {
  Reference,  // the runtime's own: no scratch
  CmsisNnC,   // CMSIS-NN as its portable C
  CmsisNnDsp, // CMSIS-NN for the DSP extension
  CmsisNnMve, // CMSIS-NN for Helium
};

struct Target {
  std::string_view name;
  /// Bytes, a power of two; see Targets.def.
  uint64_t align = 1;
  KernelLibrary kernels = KernelLibrary::Reference;
  std::string_view help;
};

/// All targets; the first is the default.
std::span<const Target> allTargets();

/// DiagId::Usage with the nearest name when there is no such target.
Expected<Target> findTarget(std::string_view name);

} // namespace tigris
