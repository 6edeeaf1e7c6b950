// The built-in passes and the default pipeline. A new pass is one file that defines `PassInfo xPass()`, one
// line in Passes.def and, where it belongs, its name in defaultPipeline().
#pragma once

#include "tigris/Pass/PassRegistry.h"

namespace tigris {

#define TIGRIS_TRANSFORM(x) PassInfo x##Pass();
#include "tigris/Transforms/Passes.def"

/// Adds every built-in pass and the pipeline `default`.
Status registerTransforms(PassRegistry& registry);

/// What `default` stands for: takes an imported graph to what the runtime executes.
std::string_view defaultPipeline();

/// The end of normalization: moves the graph to stage `normalized` if nothing is left that no kernel
/// executes, otherwise reports one UnsupportedOp error per such op with its origin and the reason.
/// True when the stage was set.
bool finishNormalization(Graph& graph, DiagnosticEngine& diagnostics);

} // namespace tigris
