// Loads plugins with dlopen and checks the description of each before its registration function
// runs.
#include "tigris/Pass/PluginLoader.h"

#include "tigris/Pass/PassPlugin.h"
#include "tigris/Pass/Pipeline.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

namespace tigris {

namespace {

constexpr const char* EntryName = "tigrisGetPassPluginInfo";

/// Converts exceptions of a plugin's passes into errors.
class GuardedPass : public Pass {
public:
  GuardedPass(std::unique_ptr<Pass> pass, std::string name)
      : pass_(std::move(pass)), name_(std::move(name)) {}

  PassStatus run(Graph& graph, PassContext& context) override {
    try {
      return pass_->run(graph, context);
    } catch (const DataError&) {
      throw; // a damaged weight is not the plugin's fault
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      return context.fail(DiagId::PassFailed, name_, " threw an exception: ", error.what());
    } catch (...) {
      return context.fail(DiagId::PassFailed, name_,
                          " threw an exception that is not a std::exception");
    }
  }

private:
  std::unique_ptr<Pass> pass_;
  std::string name_;
};

std::string providerName(const std::string& name, const std::string& version) {
  return strCat("plugin '", name, "' ", version);
}

bool isFile(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

const char* lastLoaderError() {
  const char* text = ::dlerror();
  return text ? text : "unknown reason";
}

/// The result of the entry point, unchecked.
Expected<const TigrisPassPluginInfo*> openLibrary(const std::string& path) {
  // A plugin must not see symbols of another one, and unresolved symbols must fail here, not during
  // a run.
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return makeError(DiagId::PluginError, "cannot load plugin: ", lastLoaderError());
  void* symbol = ::dlsym(library, EntryName);
  if (!symbol)
    return makeError(DiagId::PluginError, "'", path,
                     "' is not a TiGrIS plugin: it does not define ", EntryName,
                     "; write TIGRIS_PASS_PLUGIN(...) in one of its files");
  const TigrisPassPluginInfo* info = reinterpret_cast<TigrisPassPluginEntry*>(symbol)();
  if (!info)
    return makeError(DiagId::PluginError, "plugin '", path, "': ", EntryName, " returned nothing");
  return info;
}

Status checkInfo(const TigrisPassPluginInfo& info, const std::string& path) {
  if (info.api_version != TIGRIS_PLUGIN_API_VERSION)
    return makeError(DiagId::PluginError, "plugin '", path, "' has plugin API version ",
                     info.api_version, ", this tool supports ", TIGRIS_PLUGIN_API_VERSION,
                     "; build it against the headers of ", TIGRIS_VERSION);
  if (info.struct_size < sizeof(TigrisPassPluginInfo))
    return makeError(DiagId::PluginError, "plugin '", path, "': its description has ",
                     info.struct_size, " bytes, expected at least ", sizeof(TigrisPassPluginInfo));
  if (!info.name || !*info.name || !info.version || !info.abi_tag || !info.register_passes)
    return makeError(DiagId::PluginError, "plugin '", path,
                     "': its description lacks a name, version, ABI tag or registration function");
  if (std::string_view(info.abi_tag) != TIGRIS_ABI_TAG)
    return makeError(DiagId::PluginError, "plugin '", info.name, "' was built for '", info.abi_tag,
                     "', this tool is '", TIGRIS_ABI_TAG,
                     "'; rebuild it against this installation with the same standard library and "
                     "sanitizers");
  return {};
}

Status registerGuarded(const TigrisPassPluginInfo& info, PluginRegistrar& registrar) {
  try {
    Status status = info.register_passes(registrar);
    // A pipeline error here is the plugin's: the user has not written a pipeline.
    if (!status && status.error().id() == DiagId::BadPipeline)
      return makeError(DiagId::PluginError, "plugin '", info.name,
                       "' could not register its passes: ", status.error().message());
    return status;
  } catch (const std::exception& error) {
    return makeError(DiagId::PluginError, "plugin '", info.name,
                     "' threw an exception while it registered its passes: ", error.what());
  } catch (...) {
    return makeError(
        DiagId::PluginError, "plugin '", info.name,
        "' threw an exception that is not a std::exception while it registered its passes");
  }
}

/// Extensions run by default, so errors in them must be found when the plugin is loaded.
Status checkExtensions(const TigrisPassPluginInfo& info, const PassRegistry& registry) {
  for (const ExtensionPoint point : allExtensionPoints()) {
    const Expected<Pipeline> pipeline = parsePipeline(extensionPointName(point), registry);
    if (!pipeline)
      return makeError(DiagId::PluginError, "plugin '", info.name, "' extends ",
                       extensionPointName(point),
                       " with a pipeline that is not valid: ", pipeline.error().message());
  }
  return {};
}

} // namespace

Status PluginRegistrar::addPass(PassInfo info) {
  if (!info.create)
    return makeError(DiagId::PluginError, "pass '", info.name, "' from ", provider_,
                     " has no create function");
  info.create = [create = std::move(info.create),
                 name = "pass '" + info.name + "' from " + provider_](const PassOptions& options) {
    return std::make_unique<GuardedPass>(create(options), name);
  };
  return registry_.add(std::move(info), provider_);
}

Status PluginRegistrar::addPipeline(const std::string& name, std::string text) {
  return registry_.addPipeline(name, std::move(text), provider_);
}

void PluginRegistrar::extend(ExtensionPoint point, std::string text) {
  registry_.extend(point, std::move(text));
}

std::vector<std::string> pluginSearchPath() {
  std::vector<std::string> directories;
  if (const char* variable = std::getenv("TIGRIS_PLUGIN_PATH"))
    for (const std::string_view directory : split(variable, ':'))
      if (!directory.empty())
        directories.emplace_back(directory);
  Dl_info self{};
  if (::dladdr(reinterpret_cast<const void*>(&pluginSearchPath), &self) != 0 && self.dli_fname) {
    const std::filesystem::path library(self.dli_fname);
    directories.push_back((library.parent_path() / "tigris" / "plugins").string());
  }
  return directories;
}

Expected<std::string> PluginLoader::find(const std::string& pathOrName) const {
  if (pathOrName.find('/') != std::string::npos) {
    if (isFile(pathOrName))
      return pathOrName;
    return makeError(DiagId::PluginError, "plugin '", pathOrName, "': no such file");
  }
  for (const std::string& directory : searchPath_)
    for (const std::string& file : {pathOrName + ".so", "lib" + pathOrName + ".so"})
      if (const auto path = std::filesystem::path(directory) / file; isFile(path))
        return path.string();
  Diagnostic missing =
      makeError(DiagId::PluginError, "no plugin '", pathOrName,
                "' in TIGRIS_PLUGIN_PATH or the installation; a path needs a slash")
          .diagnostic();
  for (const std::string& directory : searchPath_)
    missing.notes.push_back("looked in " + directory);
  return Error(std::move(missing));
}

Status PluginLoader::load(const std::string& pathOrName) {
  const Expected<std::string> path = find(pathOrName);
  if (!path)
    return path.error();
  const Expected<const TigrisPassPluginInfo*> opened = openLibrary(*path);
  if (!opened)
    return opened.error();
  const TigrisPassPluginInfo& info = **opened;
  if (Status status = checkInfo(info, *path); !status)
    return status;
  for (const LoadedPlugin& other : loaded_)
    if (other.name == info.name)
      return makeError(DiagId::PluginError, "plugin '", info.name, "' (", *path,
                       ") is already loaded, from ", other.path);
  PluginRegistrar registrar(registry_, providerName(info.name, info.version));
  if (Status status = registerGuarded(info, registrar); !status)
    return status;
  if (Status status = checkExtensions(info, registry_); !status)
    return status;
  loaded_.push_back({info.name, info.version, *path});
  return {};
}

} // namespace tigris
