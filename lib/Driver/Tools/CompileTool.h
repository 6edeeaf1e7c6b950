// tigris compile: the whole pipe in one process.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

/// Lends out its description, with which toolMain runs it.
int withCompileSpec(const SpecUser& use);

} // namespace tigris
