// tigris-dump: shows what a module or a plan holds.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

int dumpMain(int argc, const char* const* argv);

/// Lends out its description, with which toolMain runs it. `name` is what the tool calls itself: it
/// is `tigris dump`, too.
int withDumpSpec(const char* name, const SpecUser& use);

} // namespace tigris
