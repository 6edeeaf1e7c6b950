// The options of tools that normalize.
#pragma once

#include "tigris/Compile/CompileOptions.h"
#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

/// --passes, --skip-pass.
void declareNormalizing(OptionTable& table, NormOptions& options);

} // namespace tigris
