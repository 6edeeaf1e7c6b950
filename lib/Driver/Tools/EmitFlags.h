// The options of tools that write .tgrs files, and the files they write.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"
#include "tigris/Emit/Emitter.h"

namespace tigris {

struct EmitFlags {
  EmitOptions options;
  std::string compress = "none";
  /// Where the selection header goes; empty: nowhere.
  std::string kernelsHeader;
};

/// --xip, --compress, --strip-names, --kernels-header.
void declareEmitting(OptionTable& table, EmitFlags& flags);

EmitOptions emitOptions(const EmitFlags& flags);

/// Hands the file and what else the flags ask for to the context.
Status outputEmitted(ToolContext& context, std::string file, const EmitFlags& flags);

} // namespace tigris
