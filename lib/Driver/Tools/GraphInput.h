// The positional argument of tools that work on a stream.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"
#include "tigris/IR/Graph.h"

namespace tigris {

/// Reads the stream and names its side files as dependencies (--depfile).
Expected<Graph> readGraphInput(ToolContext& context);
/// The same with the input's text read already.
Expected<Graph> parseGraphInput(ToolContext& context, std::string text);

} // namespace tigris
