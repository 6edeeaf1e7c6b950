// The kernel sets of the runtime that this build of the tools can run plans on.
#pragma once

#include "tigris_backend.h"

#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// Names for --backend, the default first; "reference" is always there.
std::vector<std::string> runtimeBackendNames();

/// Null for a name that is not among them.
const tigris_backend* runtimeBackend(std::string_view name);

} // namespace tigris
