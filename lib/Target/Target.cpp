// The table of targets.
#include "tigris/Target/Target.h"

#include "tigris/Support/StringUtils.h"

#include <array>

namespace tigris {

namespace {

constexpr auto Targets = std::to_array<Target>({
#define TIGRIS_TARGET(name, alignment, kernels, help)                                              \
  {name, alignment, KernelLibrary::kernels, help},
#include "tigris/Target/Targets.def"
});

} // namespace

std::span<const Target> allTargets() { return Targets; }

Expected<Target> findTarget(std::string_view name) {
  std::vector<std::string> names;
  for (const Target& target : Targets) {
    if (target.name == name)
      return target;
    names.emplace_back(target.name);
  }
  const auto nearest = nearestSpelling(name, names);
  return makeError(DiagId::Usage, "unknown target '", name, "'; ",
                   nearest ? strCat("did you mean '", *nearest, "'?")
                           : strCat("known are ", join(names, ", ")));
}

} // namespace tigris
