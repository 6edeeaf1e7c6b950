// The runtime backends on which this build of the tools can run plans.
#pragma once

#include "tigris_backend.h"

#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// The names for --backend, the default first. "reference" is always available.
std::vector<std::string> runtimeBackendNames();

/// Null for a name that is not among them.
const tigris_backend* runtimeBackend(std::string_view name);

} // namespace tigris
