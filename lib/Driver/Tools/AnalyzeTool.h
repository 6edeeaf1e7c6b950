// tigris analyze: what a model takes of a budget, and what stands in its way.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

/// Lends out its description, with which toolMain runs it.
int withAnalyzeSpec(const SpecUser& use);

} // namespace tigris
