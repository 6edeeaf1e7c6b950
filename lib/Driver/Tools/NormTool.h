// tigris-norm: runs passes over a graph. By default, the passes normalize an imported graph.
#pragma once

#include "tigris/Pass/PassRegistry.h"

#include <string>

namespace tigris {

int normMain(int argc, const char* const* argv);

/// What --print-passes shows: one line per pass, then the named pipelines.
std::string listPasses(const PassRegistry& registry);

/// What --print-passes=md shows: docs/passes.md.
std::string documentPasses(const PassRegistry& registry);

} // namespace tigris
