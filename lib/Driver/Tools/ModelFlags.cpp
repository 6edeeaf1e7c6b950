// Combines the options of the steps into one record.
#include "tigris/Driver/Tools/ModelFlags.h"

#include "tigris/Driver/Tools/NormFlags.h"
#include "tigris/Import/Importers.h"

namespace tigris {

void declareModelInput(OptionTable& table, ModelFlags& flags) {
  declareImporting(table, flags.import);
  declareUnknownOps(table, flags.import);
  declareNormalizing(table, flags.norm);
  declarePlugins(table, flags.passes);
}

Expected<CompileOptions> modelCompileOptions(ToolContext& context, const ModelFlags& flags) {
  const Expected<PlanningOptions> plan = planningOptions(flags.plan);
  if (!plan)
    return plan.error();
  const Expected<PassRunOptions> passes = passRunOptions(flags.passes);
  if (!passes)
    return passes.error();
  CompileOptions options = toolCompileOptions(context);
  options.importers = builtinImporters();
  options.import = importOptions(flags.import);
  options.norm = flags.norm;
  options.passes = *passes;
  options.plan = *plan;
  return options;
}

} // namespace tigris
