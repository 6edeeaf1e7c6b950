// The options of tools that take a model in any form, and plan it: everything from the file to the
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

/// --input-shape ... --load-pass-plugin. Those of planning are declared by declarePlanning, as they
/// are shown first.
void declareModelInput(OptionTable& table, ModelFlags& flags);

/// Options that know the context, all built-in importers, and what the flags say. Usage errors are
/// returned.
Expected<CompileOptions> modelCompileOptions(ToolContext& context, const ModelFlags& flags);

} // namespace tigris
