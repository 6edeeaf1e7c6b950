// tigris codegen: a plan as C sources, for firmware builds that know nothing of TiGrIS.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

/// Lends out its description, with which toolMain runs it.
int withCodegenSpec(const SpecUser& use);

} // namespace tigris
