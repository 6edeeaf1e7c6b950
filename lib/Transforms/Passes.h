// The built-in passes and the default pipeline. A new pass is one file that defines `PassInfo
// xPass()`, one line in Passes.def and, if it runs by default, its name in defaultPipeline().
#pragma once

#include "tigris/Pass/PassRegistry.h"

namespace tigris {

#define TIGRIS_TRANSFORM(x) PassInfo x##Pass();
#include "tigris/Transforms/Passes.def"

/// Registers every built-in pass and the pipeline `default`.
Status registerTransforms(PassRegistry& registry);

/// The text of `default`, which takes an imported graph to operators that the runtime executes.
std::string_view defaultPipeline();

/// Ends normalization. Sets the form `normalized` and returns true if a kernel exists for every op;
/// otherwise reports one UnsupportedOp error per unsupported op, with its origin and the reason.
bool finishNormalization(Graph& graph, DiagnosticEngine& diagnostics);

} // namespace tigris
