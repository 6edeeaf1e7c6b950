// Finds, checks and opens pass plugins: `--load-pass-plugin=PATH|NAME`.
#pragma once

#include "tigris/Pass/PassRegistry.h"

#include <string>
#include <vector>

namespace tigris {

/// A plugin whose passes are registered.
struct LoadedPlugin {
  std::string name;
  std::string version;
  /// The file as it was found.
  std::string path;
};

/// Where plugins given by NAME are looked for: the directories of the environment variable TIGRIS_PLUGIN_PATH
/// (separated by colons, empty ones ignored), then `tigris/plugins` beside libtigris, so that an
/// installation can be moved.
std::vector<std::string> pluginSearchPath();

class PluginLoader {
public:
  explicit PluginLoader(PassRegistry& registry,
                        std::vector<std::string> searchPath = pluginSearchPath())
      : registry_(registry), searchPath_(std::move(searchPath)) {}

  /// Text with a slash is a path; any other is a NAME and stands for NAME.so or libNAME.so in the first
  /// directory of the search path that has one. PluginError, or the registry's error (DuplicateName,
  /// BadPipeline), says which of these went wrong: no such file, no library or one that does not link,
  /// no entry point, another API version, another ABI, a plugin of that name loaded before, a pass name
  /// that is taken, a bad extension pipeline, an exception. After a failure the registry may hold a part
  /// of the plugin's passes. The library stays loaded in any case.
  Status load(const std::string& pathOrName);

  const std::vector<LoadedPlugin>& loaded() const { return loaded_; }

private:
  Expected<std::string> find(const std::string& pathOrName) const;

  PassRegistry& registry_;
  std::vector<std::string> searchPath_;
  std::vector<LoadedPlugin> loaded_;
};

} // namespace tigris
