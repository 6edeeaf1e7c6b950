// The options of tools that run passes: plugins, and developer options that observe the passes.
#pragma once

#include "tigris/Compile/CompileOptions.h"
#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

struct PassFlags {
  PassRunOptions options;
  std::string verifyEach = "on";
  std::optional<std::string> verifyNumerics;
  int64_t passLimit = -1;
};

/// --load-pass-plugin.
void declarePlugins(OptionTable& table, PassFlags& flags);
/// --print-before ... --reproducer.
void declarePassWatching(OptionTable& table, PassFlags& flags);

/// Fails with DiagId::Usage if the value of --verify-numerics is not a valid number.
Expected<PassRunOptions> passRunOptions(const PassFlags& flags);

} // namespace tigris
