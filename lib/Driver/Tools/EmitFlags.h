// The options of tools that write .tgrs files, and the files they write.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"
#include "tigris/Emit/Emitter.h"

namespace tigris {

struct EmitFlags {
  EmitOptions options;
  std::string compress = "none";
  /// Path of the selection header; empty: none is written.
  std::string kernelsHeader;
};

/// --xip, --compress, --strip, --kernels-header.
void declareEmitting(OptionTable& table, EmitFlags& flags);

EmitOptions emitOptions(const EmitFlags& flags);

/// Passes the file, and the other files that the flags request, to the context.
Status outputEmitted(ToolContext& context, std::string file, const EmitFlags& flags);

} // namespace tigris
