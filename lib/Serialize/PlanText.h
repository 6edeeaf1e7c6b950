// The `plan:` section of the graph document, both directions.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Serialize/NodeReader.h"

namespace tigris {

/// Appends "plan:" and its lines.
void printPlan(std::string& out, const Graph& graph, const Plan& plan);

/// The plan that `node`, the value of `plan`, describes for `graph`. Throws ReadFailure.
Plan readPlan(const NodeReader& reader, const YamlNode& node, const Graph& graph);

} // namespace tigris
