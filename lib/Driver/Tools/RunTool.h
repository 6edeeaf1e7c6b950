// tigris-run: executes a plan on the C runtime, on this computer.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

int runMain(int argc, const char* const* argv);

/// Calls `use` with the tool's description, with which toolMain runs it. `name` is the tool's name:
/// "tigris-run" or "tigris run".
int withRunSpec(const char* name, const SpecUser& use);

} // namespace tigris
