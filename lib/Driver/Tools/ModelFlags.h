// The options of tools that take a model in any form and plan it: all steps from the file to the
// plan.
#pragma once

#include "tigris/Driver/Tools/ImportFlags.h"
#include "tigris/Driver/Tools/PassFlags.h"
#include "tigris/Driver/Tools/PlanFlags.h"
#include "tigris/Driver/Tools/ToolCompiler.h"

namespace tigris {

struct ModelFlags {
  PlanFlags plan;
  ImportFlags import;
  NormOptions norm;
  PassFlags passes;
};

/// --input-shape ... --load-pass-plugin. The planning options, which the help shows first, are
/// declared by declarePlanning.
void declareModelInput(OptionTable& table, ModelFlags& flags);

/// Options that use the context, all built-in importers, and the flags. Returns usage errors.
Expected<CompileOptions> modelCompileOptions(ToolContext& context, const ModelFlags& flags);

} // namespace tigris
