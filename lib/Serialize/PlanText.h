// Printer and reader of the `plan:` section of the graph document.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Serialize/NodeReader.h"

namespace tigris {

/// Appends "plan:" and its lines.
void printPlan(std::string& out, const Graph& graph, const Plan& plan);

/// Reads the plan of `graph` from `node`, the value of `plan`. Throws ReadFailure.
Plan readPlan(const NodeReader& reader, const YamlNode& node, const Graph& graph);

} // namespace tigris
