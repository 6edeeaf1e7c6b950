// Fills a registry from Importers.def.
#include "tigris/Import/Importers.h"

namespace tigris {

ImporterRegistry builtinImporters() {
  ImporterRegistry registry;
#define TIGRIS_IMPORTER(format)                                                                    \
  if (const Status status = registry.add(format##Importer()); !status)                             \
    TIGRIS_UNREACHABLE(status.error().message());
#include "tigris/Import/Importers.def"
  return registry;
}

} // namespace tigris
