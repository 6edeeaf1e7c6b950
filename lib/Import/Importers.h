// The built-in importers. Only programs that import models link them, because protobuf allows each
// message type to be registered only once per process.
#pragma once

#include "tigris/Import/ImporterRegistry.h"

namespace tigris {

#define TIGRIS_IMPORTER(format) Importer format##Importer();
#include "tigris/Import/Importers.def"

/// A registry with all of Importers.def.
ImporterRegistry builtinImporters();

} // namespace tigris
