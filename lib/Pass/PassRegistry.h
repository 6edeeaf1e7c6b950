// The passes a process knows, by name, and its named pipelines.
#pragma once

#include "tigris/Pass/Pass.h"

#include <span>

namespace tigris {

/// Places of the built-in pipelines that plugins add to. In a pipeline the point's name ("norm-start")
/// stands for everything that was added there, which may be nothing.
///   NormStart       first of `default`: the graph as imported, before any constant is folded
///   NormBeforeFuse  channels last, every operator in its final form but activations not yet fused
///   NormEnd         last of `default`
///   PlanStart       tigris-plan, before it plans: the order of the graph is one that the planner considers
///   PlanEnd         tigris-plan, when everything has its place: the plan may be changed, and is checked again
enum class ExtensionPoint : uint8_t { NormStart, NormBeforeFuse, NormEnd, PlanStart, PlanEnd };
std::span<const ExtensionPoint> allExtensionPoints();
std::string_view extensionPointName(ExtensionPoint point);
std::optional<ExtensionPoint> parseExtensionPoint(std::string_view name);

/// Filled by explicit calls (registerTransforms), never by static constructors. Addresses of registered
/// infos stay valid for the life of the registry.
class PassRegistry {
public:
  /// DuplicateName names both providers; BadPipeline when the name is not kebab-case or is a word of the
  /// pipeline grammar. `provider` says who brings the pass: "tigris" or a plugin's name.
  Status add(PassInfo info, std::string_view provider = "tigris");
  /// A pipeline text that may be used like a pass: `default`. Parsed when it is used.
  Status addPipeline(const std::string& name, std::string text,
                     std::string_view provider = "tigris");
  /// Adds a pipeline text to an extension point; texts run in the order they were added.
  void extend(ExtensionPoint point, std::string text) {
    extensions_[point].push_back(std::move(text));
  }

  /// Null when there is none.
  const PassInfo* find(std::string_view name) const;
  const std::string* findPipeline(std::string_view name) const;
  /// In order of registration.
  std::vector<const PassInfo*> passes() const;
  std::vector<std::string> pipelineNames() const;
  const std::string& provider(std::string_view name) const;
  const std::vector<std::string>& extensions(ExtensionPoint point) const;

  /// BadPipeline error for a name that is neither, and the nearest one.
  Error unknownPass(std::string_view name) const;

private:
  struct Entry {
    std::unique_ptr<PassInfo> info;
    std::string pipeline;
    std::string provider;
  };
  Status claim(const std::string& name, std::string_view provider);

  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<std::string> order_;
  std::map<ExtensionPoint, std::vector<std::string>> extensions_;
};

} // namespace tigris
