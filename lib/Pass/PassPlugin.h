// What a pass plugin includes: the entry point, the registrar it is handed, and the check that both sides
// were built alike. The tutorial is docs/plugins.md.
//
//   #include "tigris/Pass/PassPlugin.h"
//
//   static tigris::Status registerPasses(tigris::PluginRegistrar& registrar) {
//     return registrar.addPass(tigris::functionPass("my-pass", "Does this", "Why.", run));
//   }
//   TIGRIS_PASS_PLUGIN("my-plugin", "1.0.0", registerPasses)
//
// A plugin is a shared library linked with libtigris (CMake: tigris_add_pass_plugin). A tool loads it with
// `--load-pass-plugin=PATH|NAME` and never unloads it. It may use the headers of Support, IR, Analysis
// and Pass. Registration happens in the callback only, never in static constructors.
#pragma once

#include "tigris/Pass/PassRegistry.h"
#include "tigris/Support/Version.h"

#include <cstdint>

namespace tigris {

/// Adds to the registry in the name of one plugin.
class PluginRegistrar {
public:
  PluginRegistrar(PassRegistry& registry, std::string provider)
      : registry_(registry), provider_(std::move(provider)) {}

  /// Fails as PassRegistry::add does, and without `create`. An exception that a pass of a plugin throws
  /// while it runs becomes a PassFailed error that names the pass and the plugin.
  Status addPass(PassInfo info);
  Status addPipeline(const std::string& name, std::string text);
  /// Runs the pipeline text at that place of the built-in pipelines, without being asked by the user.
  /// The text is checked when all passes of the plugin are registered.
  void extend(ExtensionPoint point, std::string text);

private:
  PassRegistry& registry_;
  std::string provider_;
};

} // namespace tigris

/// Grows whenever TigrisPassPluginInfo or the meaning of its fields changes. The first two fields never
/// move; later versions append.
#define TIGRIS_PLUGIN_API_VERSION 1

// The tag is equal where both sides see the same classes: the same headers, the same standard
// library with the same layout of its classes, the same sanitizer. The compiler is not part of it:
// g++ and clang++ agree on the rest of the ABI.
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

/// "tigris 0.1.0, libstdc++ cxx11": what a plugin is compiled against.
#define TIGRIS_ABI_TAG                                                                             \
  "tigris " TIGRIS_VERSION ", " TIGRIS_ABI_LIBRARY TIGRIS_ABI_CHECKED TIGRIS_ABI_SANITIZER

extern "C" {
/// What the entry point returns; it and its texts live as long as the process.
struct TigrisPassPluginInfo {
  /// TIGRIS_PLUGIN_API_VERSION and sizeof(TigrisPassPluginInfo) as the plugin was compiled.
  uint32_t api_version;
  uint32_t struct_size;
  const char* name;
  const char* version;
  /// TIGRIS_ABI_TAG as the plugin was compiled.
  const char* abi_tag;
  /// A failure refuses the plugin; so does an exception.
  tigris::Status (*register_passes)(tigris::PluginRegistrar&);
};
using TigrisPassPluginEntry = const TigrisPassPluginInfo*();
}

/// Defines the entry point `tigrisGetPassPluginInfo`; once per plugin, outside of any namespace.
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
