// Shared by tools that write a module: the --weights option, and the output.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"
#include "tigris/IR/Graph.h"
#include "tigris/Serialize/Module.h"

namespace tigris {

/// Declares --weights=inline|file:PATH|splat. The value is not part of the history: it states where
/// the weights are stored, not what they are.
void addWeightsOption(OptionTable& table, WriteOptions& options);

/// Passes the module of the graph to the context as the tool's output, with its side file if it has
/// one.
Status outputModule(ToolContext& context, const Graph& graph, WriteOptions options);

} // namespace tigris
