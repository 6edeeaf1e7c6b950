// The header for pass plugins: the entry point, the registrar that it receives, and the check that
// tool and plugin are compatible. docs/plugins.md is a tutorial.
//
//   #include "tigris/Pass/PassPlugin.h"
//
//   static tigris::Status registerPasses(tigris::PluginRegistrar& registrar) {
//     return registrar.addPass(tigris::functionPass("my-pass", "Does this", "Why.", run));
//   }
//   TIGRIS_PASS_PLUGIN("my-plugin", "1.0.0", registerPasses)
//
// A plugin is a shared library linked with libtigris (CMake: tigris_add_pass_plugin). A tool loads
// it with `--load-pass-plugin=PATH|NAME` and never unloads it. It may use the headers of Support,
// IR, Analysis and Pass. Passes are registered only in the callback, never in static constructors.
#pragma once

#include "tigris/Pass/PassRegistry.h"
#include "tigris/Support/Version.h"

#include <cstdint>

namespace tigris {

/// Registers passes and pipelines of one plugin.
class PluginRegistrar {
public:
  PluginRegistrar(PassRegistry& registry, std::string provider)
      : registry_(registry), provider_(std::move(provider)) {}

  /// Fails like PassRegistry::add, and if `create` is empty. An exception thrown by a plugin's pass
  /// while it runs becomes a PassFailed error that names the pass and the plugin.
  Status addPass(PassInfo info);
  Status addPipeline(const std::string& name, std::string text);
  /// Runs the pipeline text at that extension point of the built-in pipelines by default. The text
  /// is checked when all passes of the plugin are registered.
  void extend(ExtensionPoint point, std::string text);

private:
  PassRegistry& registry_;
  std::string provider_;
};

} // namespace tigris

/// Incremented whenever TigrisPassPluginInfo or the meaning of its fields changes. The first two
/// fields keep their position; later versions append fields.
#define TIGRIS_PLUGIN_API_VERSION 1

// The tag is equal if both sides see the same classes: the same headers, the same standard library
// with the same class layouts, and the same sanitizers. The compiler is not part of it: g++ and
// clang++ agree on the rest of the ABI.
#if defined(_LIBCPP_VERSION)
#define TIGRIS_ABI_LIBRARY "libc++"
#elif defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
#define TIGRIS_ABI_LIBRARY "libstdc++ cxx11"
#else
#define TIGRIS_ABI_LIBRARY "libstdc++ old strings"
#endif
#if defined(_GLIBCXX_DEBUG)
#define TIGRIS_ABI_CHECKED " checked"
#else
#define TIGRIS_ABI_CHECKED ""
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TIGRIS_ABI_SANITIZER " asan"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TIGRIS_ABI_SANITIZER " asan"
#endif
#endif
#ifndef TIGRIS_ABI_SANITIZER
#define TIGRIS_ABI_SANITIZER ""
#endif

/// What a plugin is compiled against, e.g. "tigris 0.1.0, libstdc++ cxx11".
#define TIGRIS_ABI_TAG                                                                             \
  "tigris " TIGRIS_VERSION ", " TIGRIS_ABI_LIBRARY TIGRIS_ABI_CHECKED TIGRIS_ABI_SANITIZER

extern "C" {
/// The result of the entry point. It and its texts live as long as the process.
struct TigrisPassPluginInfo {
  /// TIGRIS_PLUGIN_API_VERSION and sizeof(TigrisPassPluginInfo) at the time the plugin was
  /// compiled.
  uint32_t api_version;
  uint32_t struct_size;
  const char* name;
  const char* version;
  /// TIGRIS_ABI_TAG at the time the plugin was compiled.
  const char* abi_tag;
  /// An error or an exception rejects the plugin.
  tigris::Status (*register_passes)(tigris::PluginRegistrar&);
};
using TigrisPassPluginEntry = const TigrisPassPluginInfo*();
}

/// Defines the entry point `tigrisGetPassPluginInfo`. Use once per plugin, outside any namespace.
#define TIGRIS_PASS_PLUGIN(pluginName, pluginVersion, registerFunction)                            \
  extern "C" __attribute__((visibility("default"))) const TigrisPassPluginInfo*                    \
  tigrisGetPassPluginInfo() {                                                                      \
    static const TigrisPassPluginInfo Info = {TIGRIS_PLUGIN_API_VERSION,                           \
                                              sizeof(TigrisPassPluginInfo),                        \
                                              pluginName,                                          \
                                              pluginVersion,                                       \
                                              TIGRIS_ABI_TAG,                                      \
                                              registerFunction};                                   \
    return &Info;                                                                                  \
  }
