// tigris compile: the whole pipeline, from model to plan, in one process.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

/// Calls `use` with the tool's description, with which toolMain runs it.
int withCompileSpec(const SpecUser& use);

} // namespace tigris
