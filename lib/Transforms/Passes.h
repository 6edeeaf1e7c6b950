// The built-in passes and pipelines. A new pass is one file that defines `PassInfo xPass()`, one
// line in Passes.def and, if it runs by default, its name in the pipeline `default`.
#pragma once

#include "tigris/Pass/PassRegistry.h"

namespace tigris {

#define TIGRIS_TRANSFORM(x) PassInfo x##Pass();
#include "tigris/Transforms/Passes.def"

/// Registers every built-in pass and the normalizing pipelines.
Status registerTransforms(PassRegistry& registry);

struct NamedPipeline {
  std::string_view name;
  std::string_view text;
};

/// The pipelines that take an imported graph to operators that the runtime executes: `default`, and
/// `specification`, which optimizes no more than the specification's thirteen passes do.
std::span<const NamedPipeline> normalizingPipelines();

/// Ends normalization. Sets the form `normalized` and returns true if a kernel exists for every op;
/// otherwise reports one UnsupportedOp error per unsupported op, with its origin and the reason.
bool finishNormalization(Graph& graph, DiagnosticEngine& diagnostics);

} // namespace tigris
