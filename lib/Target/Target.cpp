// The table of targets.
#include "tigris/Target/Target.h"

#include "tigris/Support/StringUtils.h"

namespace tigris {

std::span<const Target> allTargets() {
  static const std::vector<Target> Table = {
#define TIGRIS_TARGET(name, alignment, kernels, help)                                              \
  {name, alignment, KernelLibrary::kernels, kernelCosts(KernelLibrary::kernels), help},
#include "tigris/Target/Targets.def"
  };
  return Table;
}

std::vector<std::string> targetNames() {
  std::vector<std::string> names;
  for (const Target& target : allTargets())
    names.push_back(target.name);
  return names;
}

Expected<Target> findTarget(std::string_view name) {
  for (const Target& target : allTargets())
    if (target.name == name)
      return target;
  const std::vector<std::string> names = targetNames();
  const auto nearest = nearestSpelling(name, names);
  return makeError(DiagId::Usage, "unknown target '", name, "'; ",
                   nearest ? strCat("did you mean '", *nearest, "'?")
                           : strCat("known are ", join(names, ", ")));
}

} // namespace tigris
