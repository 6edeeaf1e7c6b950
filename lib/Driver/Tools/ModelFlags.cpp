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
  Expected<CompileOptions> options = planCompileOptions(context, flags.plan, flags.passes);
  if (!options)
    return options;
  options->importers = builtinImporters();
  options->import = importOptions(flags.import);
  options->norm = flags.norm;
  return options;
}

} // namespace tigris
