// The options of tools that read models.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"
#include "tigris/Import/Importer.h"

namespace tigris {

struct ImportFlags {
  ImportOptions options;
  std::string rounding = "auto";
};

/// --input-shape, --state, --rounding.
void declareImporting(OptionTable& table, ImportFlags& flags);
/// --allow-unknown-ops.
void declareUnknownOps(OptionTable& table, ImportFlags& flags);

ImportOptions importOptions(const ImportFlags& flags);

} // namespace tigris
