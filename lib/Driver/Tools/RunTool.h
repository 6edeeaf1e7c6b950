// tigris-run: executes a plan on the C runtime, on this computer.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

int runMain(int argc, const char* const* argv);

/// Lends out its description, with which toolMain runs it. `name` is what the tool calls itself: it
/// is `tigris run`, too.
int withRunSpec(const char* name, const SpecUser& use);

} // namespace tigris
