// The options of tools that write .tgrs files, and the files they write.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"
#include "tigris/Emit/Emitter.h"

namespace tigris {

struct EmitFlags {
  EmitOptions options;
  /// Empty: as planned.
  std::string compress;
  /// Path of the weights file; empty: the weights are in the plan.
  std::string weightsFile;
  /// The bytes of that file, once emitted.
  std::string weights;
  /// Path of the selection header; empty: none is written.
  std::string kernelsHeader;
};

/// --xip, --weights-file, --strip, --kernels-header.
void declareEmitting(OptionTable& table, EmitFlags& flags);
/// --compress of tools that do not plan.
void declareCompression(OptionTable& table, EmitFlags& flags);

/// Refers to the flags, which receive the weights.
EmitOptions emitOptions(EmitFlags& flags);

/// Passes the file, and the other files that the flags request, to the context.
Status outputEmitted(ToolContext& context, std::string file, EmitFlags& flags);

} // namespace tigris
