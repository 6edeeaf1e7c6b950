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
  /// The file that was found.
  std::string path;
};

/// The search path of plugins given by NAME: the directories in the environment variable
/// TIGRIS_PLUGIN_PATH (separated by colons, empty ones ignored), then `tigris/plugins` next to
/// libtigris, so that an installation can be moved.
std::vector<std::string> pluginSearchPath();

class PluginLoader {
public:
  explicit PluginLoader(PassRegistry& registry,
                        std::vector<std::string> searchPath = pluginSearchPath())
      : registry_(registry), searchPath_(std::move(searchPath)) {}

  /// A text with a slash is a path. Any other text is a NAME and stands for NAME.so or libNAME.so
  /// in the first directory of the search path that has one.
  ///
  /// Fails with PluginError, or with the registry's error (DuplicateName, BadPipeline). The text
  /// tells which of these occurred: no such file, not a library or one that does not link, no entry
  /// point, another API version, another ABI, a plugin of that name already loaded, a pass name
  /// already taken, a bad extension pipeline, an exception. After a failure the registry may hold
  /// some of the plugin's passes. The library stays loaded in any case.
  Status load(const std::string& pathOrName);

  const std::vector<LoadedPlugin>& loaded() const { return loaded_; }

private:
  Expected<std::string> find(const std::string& pathOrName) const;

  PassRegistry& registry_;
  std::vector<std::string> searchPath_;
  std::vector<LoadedPlugin> loaded_;
};

} // namespace tigris
