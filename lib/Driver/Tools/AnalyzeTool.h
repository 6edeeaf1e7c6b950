// tigris analyze: reports whether a model fits a budget, what it costs, and what blocks it.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

/// Calls `use` with the tool's description, with which toolMain runs it.
int withAnalyzeSpec(const SpecUser& use);

} // namespace tigris
