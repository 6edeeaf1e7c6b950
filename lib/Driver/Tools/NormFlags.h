// The options of tools that normalize, and the normalization itself.
#pragma once

#include "tigris/Driver/Tools/PassFlags.h"

namespace tigris {

struct NormFlags {
  std::optional<std::string> passes;
  std::vector<std::string> skip;
};

/// --passes, --skip-pass.
void declareNormalizing(OptionTable& table, NormFlags& flags);

/// The pipeline of the flags. Names must be in the registry.
Expected<Pipeline> normPipeline(const NormFlags& flags, const PassRegistry& registry);

/// Runs the pipeline on a graph that is not planned yet. One that runs `default` to its end leaves a normalized
/// graph or fails. False when it failed: the errors are in the context's diagnostics then.
Expected<bool> normalizeGraph(ToolContext& context, const NormFlags& flags,
                              const PassFlags& running, const Pipeline& pipeline, Graph& graph);

} // namespace tigris
