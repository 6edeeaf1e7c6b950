// The importers that come with TiGrIS. Only programs that import link them: protobuf allows each
// message type to be registered once per process.
#pragma once

#include "tigris/Import/ImporterRegistry.h"

namespace tigris {

#define TIGRIS_IMPORTER(format) Importer format##Importer();
#include "tigris/Import/Importers.def"

/// A registry with all of Importers.def.
ImporterRegistry builtinImporters();

} // namespace tigris
