// What tools that write a module have in common: the --weights option, and the output.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"
#include "tigris/IR/Graph.h"
#include "tigris/Serialize/Module.h"

namespace tigris {

/// Declares --weights=inline|file:PATH|splat. The value is not part of the history: it says where
/// the weights lie, not what they are.
void addWeightsOption(OptionTable& table, WriteOptions& options);

/// Hands the module of the graph over as the tool's output, with its side file if there is one.
Status outputModule(ToolContext& context, const Graph& graph, WriteOptions options);

} // namespace tigris
