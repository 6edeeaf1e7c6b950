// The options of tools that write .tgrs files, and how they write them.
#pragma once

#include "tigris/Driver/ToolMain.h"
#include "tigris/Emit/Emitter.h"

namespace tigris {

struct EmitFlags {
  EmitOptions options;
  std::string compress = "none";
};

/// --xip, --compress, --strip-names.
void declareEmitting(OptionTable& table, EmitFlags& flags);

/// The bytes of the file, which the runtime's own validator has accepted. Whoever calls, the recorded producer is
/// tigris-emit: equal plans give equal bytes.
Expected<std::string> emitFile(const Graph& graph, const EmitFlags& flags);

} // namespace tigris
