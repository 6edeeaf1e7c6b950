// tigris-dump: shows the contents of a module or a plan.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

int dumpMain(int argc, const char* const* argv);

/// Calls `use` with the tool's description, with which toolMain runs it. `name` is the tool's name:
/// "tigris-dump" or "tigris dump".
int withDumpSpec(const char* name, const SpecUser& use);

} // namespace tigris
