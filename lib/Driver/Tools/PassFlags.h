// The options of tools that run passes: which ones, plugins, and the developer options that watch them.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"
#include "tigris/Pass/Instrumentation.h"
#include "tigris/Pass/PluginLoader.h"

namespace tigris {

struct PassFlags {
  std::vector<std::string> plugins;
  PrintGraphOptions print;
  bool timePasses = false;
  std::string verifyEach = "on";
  std::optional<std::string> verifyNumerics;
  std::optional<std::string> stopAfter;
  int64_t passLimit = -1;
  std::string reproducer;
};

/// --load-pass-plugin.
void declarePlugins(OptionTable& table, PassFlags& flags);
/// --print-before ... --reproducer.
void declarePassWatching(OptionTable& table, PassFlags& flags);

/// Loads the plugins of --load-pass-plugin into the registry and adds their names to the history and
/// their files to the dependencies.
Status loadPlugins(ToolContext& context, const PassFlags& flags, PassRegistry& registry);

/// BadPipeline for an option that names a pass the registry does not have.
Status checkPassNames(const PassFlags& flags, const PassRegistry& registry);

/// Runs the pipeline under everything the flags ask for. False when it failed: the errors are in the
/// context's diagnostics then.
Expected<bool> runPipeline(ToolContext& context, const PassFlags& flags, const Pipeline& pipeline,
                           Graph& graph);

} // namespace tigris
