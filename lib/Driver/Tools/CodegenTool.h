// tigris codegen: writes a plan as C sources, for firmware builds that do not use TiGrIS's tools.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

/// Calls `use` with the tool's description, with which toolMain runs it.
int withCodegenSpec(const SpecUser& use);

} // namespace tigris
