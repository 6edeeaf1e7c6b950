// The text form of pipelines: `--passes='default,my-pass{k=v},fixpoint(constant-fold,shape-fold)'`.
//
//   pipeline := element (',' element)*
//   element  := name options? ('(' pipeline ')')?
//   options  := '{' (key ('=' value)?)* '}'        separated by spaces
//
// A name is a registered pass, a named pipeline (`default`, which is replaced by its elements), or
// one of
//   fixpoint(...)      repeats the body until a whole round changes nothing
//   repeat{n=N}(...)   runs the body N times
//   norm-start, norm-before-fuse, norm-end, plan-start, plan-end
//                      the passes that plugins added at an ExtensionPoint, possibly none
// Spaces and line breaks between tokens are ignored.
#pragma once

#include "tigris/Pass/PassRegistry.h"

namespace tigris {

struct PipelineElement {
  enum class Kind : uint8_t { Pass, Fixpoint, Repeat };
  Kind kind = Kind::Pass;
  /// Kind::Pass: the registered pass and its options.
  const PassInfo* info = nullptr;
  PassOptions options;
  /// Kind::Repeat only; at least 1.
  int64_t count = 1;
  std::vector<PipelineElement> body;
};

using Pipeline = std::vector<PipelineElement>;

/// Fails with BadPipeline: its location has the column in the text, its message the nearest
/// spelling.
Expected<Pipeline> parsePipeline(std::string_view text, const PassRegistry& registry);

/// The resolved pipeline in the grammar above; parsing it returns the same pipeline.
std::string printPipeline(const Pipeline& pipeline);

/// Removes every occurrence of the named passes. BadPipeline if a name is not a registered pass.
Status skipPasses(Pipeline& pipeline, const std::vector<std::string>& names,
                  const PassRegistry& registry);

} // namespace tigris
